// What a KubeClient and an API server must do together, whether the server is in memory or a real kube-apiserver.
import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient, KubeObject, ResourceType, WatchEvent } from '../../../proto/kube/client.ts';
import { codeOf, take } from '../../support/kube-connection.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

interface VolumeClaim extends KubeObject {
  spec: { accessModes: string[]; resources: { requests: { storage: string } } };
  status?: { conditions?: { type: string; status: string; message: string }[] };
}

export interface KubeUnderTest {
  /** Made with short `watchSeconds` (a real server wants five), so that the last bookmark comes soon. */
  readonly client: KubeClient;
  /** Exists, and is used by nobody else. Its objects are left behind. */
  readonly namespace: string;
  /** A resourceVersion that the server does not know any more, e.g. `1` after it has restarted. */
  readonly forgotten: string;
}

const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps' };
const claims: ResourceType = { group: '', version: 'v1', plural: 'persistentvolumeclaims' };

export function kubeClientContract(name: string, setUp: () => Promise<KubeUnderTest>): void {
  describe(`KubeClient with ${name}`, () => {
    let client: KubeClient;
    let namespace: string;
    let forgotten: string;
    let group = '';
    let groups = 0;

    beforeAll(async () => {
      ({ client, namespace, forgotten } = await setUp());
    });

    /** A label of its own for each test, so that tests see their own objects only. */
    const ownGroup = () => {
      group = `g${Date.now().toString(36)}-${++groups}`;
      return { namespace, labelSelector: `group=${group}` };
    };

    const newConfigMap = (suffix: string, data: Record<string, string> = {}, labels = {}): ConfigMap => ({
      metadata: { namespace, name: `${group}-${suffix}`, labels: { group, ...labels } },
      data,
    });

    const make = (suffix: string, data?: Record<string, string>, labels?: object) =>
      client.create(configMaps, newConfigMap(suffix, data, labels));

    const keyOf = ({ metadata }: KubeObject) => ({ namespace, name: metadata.name ?? '' });

    const namesOf = (objects: readonly KubeObject[]) =>
      objects.map(({ metadata }) => metadata.name?.slice(group.length + 1)).sort();

    describe('objects', () => {
      it('a created object has uid, version and time, and reads back equal', async () => {
        ownGroup();
        const made = await make('a', { color: 'grün ✓' });
        expect(made.metadata).toMatchObject({
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          resourceVersion: expect.stringMatching(/^\d+$/),
          creationTimestamp: expect.stringMatching(/^[\d-]+T[\d:]+Z$/),
        });
        expect(await client.get<ConfigMap>(configMaps, keyOf(made))).toEqual(made);
        expect(made.data).toEqual({ color: 'grün ✓' });
      });

      it('generateName makes different names', async () => {
        ownGroup();
        const object: ConfigMap = { metadata: { namespace, generateName: `${group}-` }, data: {} };
        const made = [await client.create(configMaps, object), await client.create(configMaps, object)];
        expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(2);
        expect(made[0]?.metadata.name).toMatch(new RegExp(`^${group}-[a-z0-9]{5}$`));
      });

      it('a second object of the same name is a conflict', async () => {
        ownGroup();
        await make('a');
        expect(await codeOf(make('a'))).toBe('CONFLICT');
      });

      it('an object without a valid name is invalid', async () => {
        expect(await codeOf(client.create(configMaps, { metadata: { namespace } }))).toBe('INVALID_OBJECT');
        expect(await codeOf(client.create(configMaps, { metadata: { namespace, name: 'A_b' } }))).toBe(
          'INVALID_OBJECT',
        );
      });

      it('a missing object and a missing kind are told apart', async () => {
        const unknown = { group: '', version: 'v1', plural: 'gadgets' };
        const foreign = { group: 'nobody.example', version: 'v1', plural: 'gadgets' };
        expect(await codeOf(client.get(configMaps, { namespace, name: 'nobody' }))).toBe('NOT_FOUND');
        expect(await codeOf(client.get(unknown, { namespace, name: 'nobody' }))).toBe('API_NOT_SERVED');
        expect(await codeOf(client.list(foreign, { namespace }))).toBe('API_NOT_SERVED');
        expect(await codeOf(take(client.watch(foreign, '1')))).toBe('API_NOT_SERVED');
      });

      it('a dry run checks everything and keeps nothing', async () => {
        ownGroup();
        const dry = await client.create(configMaps, newConfigMap('a'), { dryRun: true });
        expect(dry.metadata.uid).toBeDefined();
        expect(await codeOf(client.get(configMaps, keyOf(dry)))).toBe('NOT_FOUND');
        await make('a');
        expect(await codeOf(client.create(configMaps, newConfigMap('a'), { dryRun: true }))).toBe('CONFLICT');
      });
    });

    describe('update', () => {
      it('changes an object and its version', async () => {
        ownGroup();
        const made = await make('a', { n: '1' });
        const changed = await client.update(configMaps, { ...made, data: { n: '2' } });
        expect(changed.data).toEqual({ n: '2' });
        expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
        expect(changed.metadata.uid).toBe(made.metadata.uid);
      });

      it('of an older version is a conflict and changes nothing', async () => {
        ownGroup();
        const made = await make('a', { n: '1' });
        await client.update(configMaps, { ...made, data: { n: '2' } });
        expect(await codeOf(client.update(configMaps, { ...made, data: { n: '3' } }))).toBe('CONFLICT');
        expect((await client.get<ConfigMap>(configMaps, keyOf(made))).data).toEqual({ n: '2' });
      });

      it('that changes nothing keeps the version', async () => {
        ownGroup();
        const made = await make('a', { n: '1' });
        const again = await client.update(configMaps, made);
        expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
      });
    });

    describe('patch', () => {
      it('merge sets, keeps and removes members', async () => {
        ownGroup();
        const made = await make('a', { keep: '1', drop: '1' });
        const patch = { data: { drop: null, add: '1' } };
        const patched = await client.patch<ConfigMap>(configMaps, keyOf(made), 'merge', patch);
        expect(patched.data).toEqual({ keep: '1', add: '1' });
      });

      it('json applies when its test holds', async () => {
        ownGroup();
        const made = await make('a', { n: '1' });
        const patch = [
          { op: 'test', path: '/metadata/uid', value: made.metadata.uid },
          { op: 'test', path: '/data/n', value: '1' },
          { op: 'replace', path: '/data/n', value: '2' },
          { op: 'add', path: '/metadata/labels/kubectl-virt.dev~1seen', value: 'yes' },
        ];
        const patched = await client.patch<ConfigMap>(configMaps, keyOf(made), 'json', patch);
        expect(patched.data).toEqual({ n: '2' });
        expect(patched.metadata.labels).toEqual({ group, 'kubectl-virt.dev/seen': 'yes' });
      });

      it('json with a failed test or a missing path is refused as a whole', async () => {
        ownGroup();
        const made = await make('a', { n: '1' });
        const failedTest = [
          { op: 'replace', path: '/data/n', value: '2' },
          { op: 'test', path: '/data/n', value: '1' },
        ];
        const missing = [{ op: 'remove', path: '/data/none' }];
        for (const patch of [failedTest, missing]) {
          expect(await codeOf(client.patch(configMaps, keyOf(made), 'json', patch))).toBe('INVALID_OBJECT');
        }
        expect((await client.get<ConfigMap>(configMaps, keyOf(made))).data).toEqual({ n: '1' });
      });

      it('with another resourceVersion in it is a conflict', async () => {
        ownGroup();
        const made = await make('a');
        const patch = { metadata: { resourceVersion: '1' }, data: { n: '1' } };
        expect(await codeOf(client.patch(configMaps, keyOf(made), 'merge', patch))).toBe('CONFLICT');
      });

      it('of a missing object is not found', async () => {
        const key = { namespace, name: 'nobody' };
        expect(await codeOf(client.patch(configMaps, key, 'merge', { data: {} }))).toBe('NOT_FOUND');
      });
    });

    describe('status', () => {
      const conditions = [{ type: 'Resizing', status: 'True', message: 'from a test' }];
      const newClaim = (): VolumeClaim => ({
        metadata: { namespace, generateName: 'status-', labels: { group } },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      });

      it('is written by its subresource only, which leaves the rest alone', async () => {
        ownGroup();
        const made = await client.create(claims, newClaim());
        const plain = { metadata: { labels: { seen: 'yes' } }, status: { conditions } };
        const unmoved = await client.patch<VolumeClaim>(claims, keyOf(made), 'merge', plain);
        expect(unmoved.status?.conditions).toBeUndefined();
        expect(unmoved.metadata.labels).toEqual({ group, seen: 'yes' });
        const status = { spec: { accessModes: ['ReadOnlyMany'] }, status: { conditions } };
        const moved = await client.patch<VolumeClaim>(claims, keyOf(made), 'merge', status, {
          subresource: 'status',
        });
        expect(moved.status?.conditions).toMatchObject(conditions);
        expect(moved.spec.accessModes).toEqual(['ReadWriteOnce']);
      });

      it('is written by update as well', async () => {
        ownGroup();
        const made = await client.create(claims, newClaim());
        const written = await client.update(
          claims,
          { ...made, status: { conditions } },
          { subresource: 'status' },
        );
        expect(written.status?.conditions).toMatchObject(conditions);
      });
    });

    describe('delete', () => {
      it('removes an object; a second one finds nothing', async () => {
        ownGroup();
        const made = await make('a');
        await client.delete(configMaps, keyOf(made));
        expect(await codeOf(client.delete(configMaps, keyOf(made)))).toBe('NOT_FOUND');
      });

      it('with the uid or the version of another object is a conflict', async () => {
        ownGroup();
        const made = await make('a');
        const { uid = '', resourceVersion = '' } = made.metadata;
        expect(await codeOf(client.delete(configMaps, keyOf(made), { uid: 'other' }))).toBe('CONFLICT');
        expect(await codeOf(client.delete(configMaps, keyOf(made), { resourceVersion: '1' }))).toBe(
          'CONFLICT',
        );
        await client.delete(configMaps, keyOf(made), { uid, resourceVersion });
        expect(await codeOf(client.get(configMaps, keyOf(made)))).toBe('NOT_FOUND');
      });

      it('of an object with finalizers waits for the last one', async () => {
        ownGroup();
        const object = newConfigMap('a');
        const made = await client.create(configMaps, {
          ...object,
          metadata: { ...object.metadata, finalizers: ['kubectl-virt.dev/test'] },
        });
        await client.delete(configMaps, keyOf(made));
        const waiting = await client.get(configMaps, keyOf(made));
        expect(waiting.metadata.deletionTimestamp).toBeDefined();
        await client.patch(configMaps, keyOf(made), 'merge', { metadata: { finalizers: null } });
        expect(await codeOf(client.get(configMaps, keyOf(made)))).toBe('NOT_FOUND');
      });
    });

    describe('list', () => {
      it('follows pages to the end', async () => {
        const selection = ownGroup();
        for (const suffix of ['a', 'b', 'c', 'd', 'e']) await make(suffix);
        const list = await client.list<ConfigMap>(configMaps, { ...selection, limit: 2 });
        expect(namesOf(list.items)).toEqual(['a', 'b', 'c', 'd', 'e']);
        expect(Number(list.resourceVersion)).toBeGreaterThan(0);
      });

      it('gives items their kind, which built-in kinds lack on the wire', async () => {
        const selection = ownGroup();
        await make('a');
        const { items } = await client.list(configMaps, selection);
        expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      });

      it('selects by labels: equality, sets, existence', async () => {
        const { labelSelector } = ownGroup();
        await make('a', {}, { tier: 'web', zone: '1' });
        await make('b', {}, { tier: 'db' });
        await make('c');
        const select = async (text: string) =>
          namesOf(
            (await client.list(configMaps, { namespace, labelSelector: `${labelSelector},${text}` })).items,
          );
        expect(await select('tier=web')).toEqual(['a']);
        expect(await select('tier!=web')).toEqual(['b', 'c']);
        expect(await select('tier in (web,db)')).toEqual(['a', 'b']);
        expect(await select('tier notin (web)')).toEqual(['b', 'c']);
        expect(await select('tier,!zone')).toEqual(['b']);
      });

      it('selects by fields and refuses those that are not selectable', async () => {
        const selection = ownGroup();
        await make('a');
        await make('b');
        const one = { ...selection, fieldSelector: `metadata.name=${group}-b` };
        expect(namesOf((await client.list(configMaps, one)).items)).toEqual(['b']);
        const others = { ...selection, fieldSelector: `metadata.name!=${group}-b` };
        expect(namesOf((await client.list(configMaps, others)).items)).toEqual(['a']);
        const wrong = { ...selection, fieldSelector: 'data.x=1' };
        expect(await codeOf(client.list(configMaps, wrong))).toBe('INVALID_OBJECT');
      });
    });

    describe('watch', () => {
      const shown = (events: readonly WatchEvent<ConfigMap>[]) =>
        events.map((event) =>
          event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${namesOf([event.object])}`,
        );

      it('tells what happened since the list, in order', async () => {
        const selection = ownGroup();
        const before = await make('a', { n: '1' });
        const { resourceVersion } = await client.list(configMaps, selection);
        await client.update(configMaps, { ...before, data: { n: '2' } });
        await make('b');
        await client.delete(configMaps, keyOf(before));
        const events = await take(client.watch<ConfigMap>(configMaps, resourceVersion, selection), 3);
        expect(shown(events)).toEqual(['MODIFIED a', 'ADDED b', 'DELETED a']);
      });

      it('tells what happens while it is open', async () => {
        const selection = ownGroup();
        const { resourceVersion } = await client.list(configMaps, selection);
        const events = take(client.watch<ConfigMap>(configMaps, resourceVersion, selection), 1);
        await make('a');
        expect(shown(await events)).toEqual(['ADDED a']);
      });

      it('resumes behind the last event seen', async () => {
        const selection = ownGroup();
        const { resourceVersion } = await client.list(configMaps, selection);
        const first = await make('a');
        await make('b');
        const resumed = client.watch<ConfigMap>(
          configMaps,
          first.metadata.resourceVersion ?? resourceVersion,
          selection,
        );
        expect(shown(await take(resumed, 1))).toEqual(['ADDED b']);
      });

      it('sees objects enter and leave a selection', async () => {
        const selection = ownGroup();
        const { resourceVersion } = await client.list(configMaps, selection);
        const made = await make('a');
        await client.patch(configMaps, keyOf(made), 'merge', { metadata: { labels: { group: null } } });
        await client.patch(configMaps, keyOf(made), 'merge', { metadata: { labels: { group } } });
        const events = await take(client.watch<ConfigMap>(configMaps, resourceVersion, selection), 3);
        expect(shown(events)).toEqual(['ADDED a', 'DELETED a', 'ADDED a']);
      });

      it('ends in time, with a bookmark that a quiet watch can resume from', async () => {
        const selection = ownGroup();
        const { resourceVersion } = await client.list(configMaps, selection);
        const watched = take(client.watch<ConfigMap>(configMaps, resourceVersion, selection));
        // Bookmarks come only when somebody writes to the kind while the watch is open.
        await new Promise((resolve) => setTimeout(resolve, 300));
        await make('other', {}, { group: 'other' });
        const events = await watched;
        expect(new Set(shown(events))).toEqual(new Set(['BOOKMARK']));
        const last = events.at(-1);
        const bookmark = last?.type === 'BOOKMARK' ? last.resourceVersion : '';
        expect(Number(bookmark)).toBeGreaterThan(Number(resourceVersion));
        await make('a');
        expect(shown(await take(client.watch<ConfigMap>(configMaps, bookmark, selection), 1))).toEqual([
          'ADDED a',
        ]);
      });

      it('from a version that is forgotten is GONE', async () => {
        expect(await codeOf(take(client.watch(configMaps, forgotten, { namespace })))).toBe('GONE');
      });
    });

    it('raw paths give JSON or text as the server sends it', async () => {
      expect(await client.getRaw('/version')).toMatchObject({ gitVersion: expect.stringMatching(/^v1\./) });
      expect(await client.getRaw('/readyz')).toBe('ok');
      expect(await codeOf(client.getRaw('/none'))).toBe('API_NOT_SERVED');
    });
  });
}
