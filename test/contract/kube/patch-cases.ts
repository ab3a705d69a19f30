// Contract: objects are changed by patches.
import { expect, it } from 'vitest';
import { codeOf } from '../../support/kube-connection.ts';
import { gadgets } from './gadget-kind.ts';
import type { Subject } from './kube-under-test.ts';
import { type ConfigMap, configMaps, OwnObjects } from './own-objects.ts';

export function patchCases(subject: () => Subject): void {
  it('merge sets, keeps and removes members', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a', { keep: '1', drop: '1' });
    const patch = { data: { drop: null, add: '1' } };
    const patched = await own.client.patch<ConfigMap>(configMaps, own.key(made), 'merge', patch);
    expect(patched.data).toEqual({ keep: '1', add: '1' });
  });

  it('json applies when its test holds', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a', { n: '1' });
    const patch = [
      { op: 'test', path: '/metadata/uid', value: made.metadata.uid },
      { op: 'test', path: '/data/n', value: '1' },
      { op: 'replace', path: '/data/n', value: '2' },
      { op: 'add', path: '/metadata/labels/kubectl-virt.dev~1seen', value: 'yes' },
    ];
    const patched = await own.client.patch<ConfigMap>(configMaps, own.key(made), 'json', patch);
    expect(patched.data).toEqual({ n: '2' });
    expect(patched.metadata.labels).toEqual({ group: own.group, 'kubectl-virt.dev/seen': 'yes' });
  });

  it('json with a failed test or a missing path is refused as a whole', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a', { n: '1' });
    const failedTest = [
      { op: 'replace', path: '/data/n', value: '2' },
      { op: 'test', path: '/data/n', value: '1' },
    ];
    const missing = [{ op: 'remove', path: '/data/none' }];
    for (const patch of [failedTest, missing]) {
      expect(await codeOf(own.client.patch(configMaps, own.key(made), 'json', patch))).toBe('INVALID_OBJECT');
    }
    expect(await own.client.get<ConfigMap>(configMaps, own.key(made))).toEqual(made);
  });

  it('of one member by many writers at once loses none of them', async () => {
    const own = new OwnObjects(subject());
    const made = await own.make('a');
    const writers = ['1', '2', '3', '4'];
    await Promise.all(
      writers.map((n) => own.client.patch(configMaps, own.key(made), 'merge', { data: { [n]: n } })),
    );
    const { data } = await own.client.get<ConfigMap>(configMaps, own.key(made));
    expect(Object.keys(data ?? {}).sort()).toEqual(writers);
  });

  // Of a PUT a wrong uid is a conflict; the server takes no precondition from a patch, it only refuses the change.
  it.each([
    ['resourceVersion', '1', 'CONFLICT'],
    ['uid', '00000000-0000-0000-0000-000000000000', 'INVALID_OBJECT'],
  ])('with the %s of another object in it is refused', async (field, value, code) => {
    const own = new OwnObjects(subject());
    const patch = { metadata: { [field]: value, labels: { changed: 'yes' } } };
    const map = await own.make('a');
    expect(await codeOf(own.client.patch(configMaps, own.key(map), 'merge', patch))).toBe(code);
    const gadget = await own.makeGadget('a');
    expect(await codeOf(own.client.patch(gadgets, own.key(gadget), 'merge', patch))).toBe(code);
    expect(await own.client.get(gadgets, own.key(gadget))).toEqual(gadget);
  });

  it('of a missing object is not found', async () => {
    const { client, namespace } = new OwnObjects(subject());
    const key = { namespace, name: 'nobody' };
    expect(await codeOf(client.patch(configMaps, key, 'merge', { data: {} }))).toBe('NOT_FOUND');
  });
}
