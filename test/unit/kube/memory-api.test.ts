// The API in memory where the contract with the client does not reach: rights, faults, discovery, forgetting.
import { afterEach, describe, expect, it } from 'vitest';
import type { TypedError } from '../../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../../proto/kube/client.ts';
import {
  type MemoryApi,
  type MemoryApiOptions,
  startMemoryApi,
} from '../../../proto/kube/memory/memory-api.ts';
import type { ServedKind, StoredObject } from '../../../proto/kube/memory/served-kind.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { ObjectCache } from '../../../proto/kube/watch/object-cache.ts';
import { reflect } from '../../../proto/kube/watch/reflect.ts';
import { codeOf, connectionTo, take, typedErrorOf, until } from '../../support/kube-connection.ts';
import { makeCertificate } from '../../support/x509.ts';

const nodes = { group: '', version: 'v1', plural: 'nodes' };
const pods = { group: '', version: 'v1', plural: 'pods' };
const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const slices = { group: 'resource.k8s.io', version: 'v1', plural: 'resourceslices' };
const statuses = { group: 'kubectl-virt.dev', version: 'v1alpha1', plural: 'usbnodestatuses' };
const statusType = { apiVersion: 'kubectl-virt.dev/v1alpha1', kind: 'USBNodeStatus' };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function start(
  options: MemoryApiOptions = {},
  token?: string,
): Promise<{ api: MemoryApi; client: KubeClient }> {
  const api = await startMemoryApi(options);
  const connection = connectionTo(api.url, token === undefined ? {} : { token });
  const client = createKubeClient(connection, { watchSeconds: [1, 1] });
  open.push(client, api);
  return { api, client };
}

function kindOf(
  api: MemoryApi,
  { group, version, plural }: { group: string; version: string; plural: string },
) {
  const kind = api.store.kind(group, version, plural);
  if (!kind) throw new Error(`${plural} is not served`);
  return kind;
}

describe('rights', () => {
  const tokens = { 'token-of-jane': 'jane' };

  it('an unknown token is refused, a known one has a name', async () => {
    expect(await codeOf((await start({ tokens })).client.list(nodes))).toBe('UNAUTHENTICATED');
    expect(await codeOf((await start({ tokens }, 'constructor')).client.list(nodes))).toBe('UNAUTHENTICATED');
    const { client } = await start({ tokens }, 'token-of-jane');
    expect((await client.list(nodes)).items).toEqual([]);
  });

  it('every request is asked for with the attributes that RBAC sees', async () => {
    const asked: string[] = [];
    const { client } = await start(
      {
        tokens,
        authorize: ({ user, verb, group, resource, namespace = '-', name = '-' }) => {
          asked.push([user, verb, group, resource, namespace, name].join(' '));
          return true;
        },
      },
      'token-of-jane',
    );
    const pod = await client.create(pods, { metadata: { namespace: 'shop', name: 'web' } });
    await client.update(pods, pod);
    await client.patch(pods, { namespace: 'shop', name: 'web' }, 'merge', {}, { subresource: 'status' });
    await client.get(pods, { namespace: 'shop', name: 'web' });
    await client.list(pods);
    await take(client.watch(slices, '0'));
    await client.delete(pods, { namespace: 'shop', name: 'web' });
    expect(asked).toEqual([
      'jane create  pods shop -',
      'jane update  pods shop web',
      'jane patch  pods/status shop web',
      'jane get  pods shop web',
      'jane list  pods - -',
      'jane watch resource.k8s.io resourceslices - -',
      'jane delete  pods shop web',
    ]);
  });

  it('what is not allowed is refused with the sentence of the real server', async () => {
    const { client } = await start({ tokens, authorize: () => false }, 'token-of-jane');
    const sentences = [
      await typedErrorOf(client.list(nodes)),
      await typedErrorOf(client.get(pods, { namespace: 'shop', name: 'web' })),
      await typedErrorOf(client.patch(statuses, { name: 'a' }, 'merge', {}, { subresource: 'status' })),
    ];
    expect(sentences.map(({ code }) => code)).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
    expect(sentences.map(({ message }) => message)).toEqual([
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
      'pods "web" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "shop"',
      'usbnodestatuses.kubectl-virt.dev "a" is forbidden: User "jane" cannot patch resource "usbnodestatuses/status" in API group "kubectl-virt.dev" at the cluster scope',
    ]);
  });
});

describe('planted faults', () => {
  it('meet one request each, and only those that match', async () => {
    const { api, client } = await start();
    api.faults.once({ status: 500 }, (method, path) => method === 'GET' && path.includes('/nodes'));
    await client.list(pods);
    expect(await codeOf(client.list(nodes))).toBe('SERVER_ERROR');
    await client.list(nodes);
  });

  it('429 with Retry-After is waited for by the client', async () => {
    const { api, client } = await start();
    api.faults.once({ status: 429, retryAfter: 0 });
    expect((await client.list(nodes)).items).toEqual([]);
  });

  it('a delay holds the answer back', async () => {
    const { api, client } = await start();
    api.faults.once({ delay: 60_000 });
    expect(await codeOf(client.list(nodes, {}, { timeout: 30 }))).toBe('TIMED_OUT');
  });

  it('a cut connection and a cut JSON are errors of the client', async () => {
    const { api, client } = await start();
    api.faults.once({ reset: true });
    expect(await codeOf(client.list(nodes))).toBe('SERVER_UNREACHABLE');
    api.faults.once({ truncate: true });
    expect(await codeOf(client.list(nodes))).toBe('PROTOCOL');
  });
});

describe('reflecting', () => {
  it('a cache follows through cut watches, forgotten versions and errors, to the same objects', async () => {
    const { api, client } = await start();
    const errors: TypedError[] = [];
    const cache = new ObjectCache<KubeObject>({ onError: (error) => errors.push(error) });
    const abort = new AbortController();
    const options = { transform: (o: KubeObject) => o, backoff: { first: 5, longest: 20 } };
    const done = reflect(client, nodes, options, cache, { signal: abort.signal });
    const names = () => [...cache.values()].map(({ metadata }) => metadata.name).sort();
    const make = (name: string) => client.create(nodes, { metadata: { name } });
    await until(() => cache.synced && api.faults.openWatches === 1, 'the first watch');
    await make('a');
    await until(() => cache.size === 1, 'a');
    api.faults.cutWatches();
    await make('b');
    await until(() => cache.size === 2, 'b, after a cut');
    expect(errors.map(({ code }) => code)).toEqual(['SERVER_UNREACHABLE']);
    // Changes are forgotten while the watch is down: only a list can tell that `a` is gone.
    api.faults.once({ status: 503 }, (_, path) => path.includes('watch=1'));
    api.faults.cutWatches();
    await client.delete(nodes, { name: 'a' });
    await make('c');
    api.store.compact();
    await until(() => names().join() === 'b,c', 'b and c, after a new list');
    expect(errors.map(({ code }) => code)).toContain('GONE');
    abort.abort();
    await done;
    await until(() => api.faults.openWatches === 0, 'the end of the watch');
    await make('d');
    expect(cache.size).toBe(2);
  });
});

describe('what is served', () => {
  const custom: ServedKind = {
    group: 'example.dev',
    version: 'v2',
    kind: 'Gadget',
    plural: 'gadgets',
    namespaced: true,
  };

  it('kinds can be added, and discovery shows them', async () => {
    const { api, client } = await start();
    expect(await codeOf(client.list(custom))).toBe('API_NOT_SERVED');
    api.store.register(custom);
    expect((await client.list(custom)).items).toEqual([]);
    expect(await client.getRaw('/apis')).toMatchObject({
      groups: expect.arrayContaining([
        {
          name: 'example.dev',
          versions: [{ groupVersion: 'example.dev/v2', version: 'v2' }],
          preferredVersion: { groupVersion: 'example.dev/v2', version: 'v2' },
        },
      ]),
    });
    expect(await client.getRaw('/apis/example.dev/v2')).toMatchObject({
      kind: 'APIResourceList',
      resources: [{ name: 'gadgets', namespaced: true, kind: 'Gadget' }],
    });
    expect(await client.getRaw('/api')).toMatchObject({ versions: ['v1'] });
    expect(await codeOf(client.getRaw('/apis/other.dev'))).toBe('API_NOT_SERVED');
  });

  it('paths that point at nothing are no objects', async () => {
    const { client } = await start();
    const wrong = [
      client.get(pods, { name: 'web' }),
      client.get(nodes, { namespace: 'shop', name: 'a' }),
      client.patch(configMaps, { namespace: 'shop', name: 'a' }, 'merge', {}, { subresource: 'status' }),
      client.create(pods, { metadata: { name: 'web' } }),
    ];
    for (const each of wrong) expect(await codeOf(each)).toBe('API_NOT_SERVED');
  });

  it('field selectors reach into the kinds that have them', async () => {
    const { api, client } = await start();
    const slice = (name: string, driver: string, nodeName?: string): StoredObject => ({
      metadata: { name },
      spec: { driver, nodeName },
    });
    for (const each of [slice('a', 'usb', 'n1'), slice('b', 'usb', 'n2'), slice('c', 'gpu', 'n1')]) {
      api.store.put(kindOf(api, slices), each);
    }
    const select = async (fieldSelector: string) =>
      (await client.list(slices, { fieldSelector })).items.map(({ metadata }) => metadata.name);
    expect(await select('spec.driver=usb')).toEqual(['a', 'b']);
    expect(await select('spec.driver=usb,spec.nodeName=n1')).toEqual(['a']);
    expect(await select('spec.nodeName!=n1')).toEqual(['b']);
    expect(await codeOf(client.list(slices, { fieldSelector: 'spec.nodeName' }))).toBe('INVALID_OBJECT');
    expect(await codeOf(client.list(slices, { labelSelector: 'a in (' }))).toBe('INVALID_OBJECT');
  });

  it('strategic and apply patches are refused as a kind of content', async () => {
    const { api, client } = await start();
    await client.create(nodes, { metadata: { name: 'a' } });
    for (const type of ['strategic-merge-patch+json', 'apply-patch+yaml']) {
      const headers = { 'content-type': `application/${type}` };
      const url = `${api.url}/api/v1/nodes/a`;
      expect((await fetch(url, { method: 'PATCH', headers, body: '{}' })).status).toBe(415);
    }
  });

  it('a patch that is no list of operations, or no JSON, is a bad request', async () => {
    const { api, client } = await start();
    await client.create(nodes, { metadata: { name: 'a' } });
    expect(await codeOf(client.patch(nodes, { name: 'a' }, 'json', {}))).toBe('INVALID_OBJECT');
    const url = `${api.url}/api/v1/nodes`;
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body: '{' })).status).toBe(400);
    expect((await fetch(url, { method: 'PUT', headers, body: '{}' })).status).toBe(405);
  });

  it('HTTPS is served with the given certificate', async () => {
    const ca = makeCertificate({ commonName: 'ca', ca: true });
    const tls = makeCertificate({ commonName: 'api', issuer: ca, ips: ['127.0.0.1'] });
    const { api } = await start({ tls });
    const client = createKubeClient(connectionTo(api.url, { tls: { ca: ca.cert } }));
    open.push(client);
    expect(await client.getRaw('/livez')).toBe('ok');
  });
});

describe('custom kinds', () => {
  const made: StoredObject = { ...statusType, metadata: { name: 'a' }, spec: { n: 1 }, status: { n: 1 } };

  it('have a generation that counts changes of the spec, and no status from a create', async () => {
    const { client } = await start();
    const first = await client.create(statuses, made);
    expect(first).not.toHaveProperty('status');
    expect(first.metadata.generation).toBe(1);
    const key = { name: 'a' };
    const write = async (patch: object, status = false) =>
      (await client.patch(statuses, key, 'merge', patch, status ? { subresource: 'status' } : {})).metadata
        .generation;
    expect(await write({ metadata: { labels: { x: 'y' } } })).toBe(1);
    expect(await write({ status: { n: 2 } }, true)).toBe(1);
    expect(await write({ spec: { n: 2 } })).toBe(2);
  });

  it('take no update without a version, and no object without its kind', async () => {
    const { client } = await start();
    await client.create(statuses, made);
    expect(await codeOf(client.update(statuses, made))).toBe('INVALID_OBJECT');
    expect(await codeOf(client.create(statuses, { metadata: { name: 'b' } }))).toBe('INVALID_OBJECT');
    const wrong = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'b' } };
    expect(await codeOf(client.create(statuses, wrong))).toBe('INVALID_OBJECT');
  });

  it('cannot be renamed, moved or given another identity', async () => {
    const { client } = await start();
    const { metadata } = await client.create(statuses, made);
    const key = { name: 'a' };
    const patch = (meta: object) => codeOf(client.patch(statuses, key, 'merge', { metadata: meta }));
    expect(await patch({ name: 'b' })).toBe('INVALID_OBJECT');
    expect(await patch({ namespace: 'shop' })).toBe('INVALID_OBJECT');
    expect(await patch({ uid: 'other' })).toBe('INVALID_OBJECT');
    const kept = await client.patch(statuses, key, 'merge', {
      metadata: { creationTimestamp: null, generation: 9, labels: { x: 'y' } },
    });
    expect(kept.metadata).toMatchObject({
      uid: metadata.uid,
      creationTimestamp: metadata.creationTimestamp,
      generation: 1,
    });
  });

  it('that wait for finalizers take no new ones', async () => {
    const { client } = await start();
    const finalizers = ['kubectl-virt.dev/x'];
    await client.create(statuses, { ...made, metadata: { name: 'a', finalizers } });
    await client.delete(statuses, { name: 'a' });
    await client.delete(statuses, { name: 'a' });
    const more = { metadata: { finalizers: [...finalizers, 'kubectl-virt.dev/y'] } };
    expect(await codeOf(client.patch(statuses, { name: 'a' }, 'merge', more))).toBe('INVALID_OBJECT');
  });
});

describe('versions', () => {
  it('a list shows one state over all its pages, whatever happens in between', async () => {
    const { api, client } = await start();
    for (const name of ['a', 'b', 'c', 'd']) await client.create(nodes, { metadata: { name } });
    const first = (await client.getRaw('/api/v1/nodes?limit=2')) as Page;
    expect(first.metadata.remainingItemCount).toBe(2);
    await client.delete(nodes, { name: 'c' });
    const second = (await client.getRaw(`/api/v1/nodes?limit=2&continue=${first.metadata.continue}`)) as Page;
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c', 'd']);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    api.store.compact();
    const path = `/api/v1/nodes?limit=2&continue=${first.metadata.continue}`;
    expect(await codeOf(client.getRaw(path))).toBe('GONE');
    expect(await codeOf(client.getRaw('/api/v1/nodes?continue=unknown'))).toBe('GONE');
  });

  it('only the last changes are kept for watches', async () => {
    const { client } = await start({ keep: 2 });
    const { resourceVersion } = await client.list(nodes);
    for (const name of ['a', 'b']) await client.create(nodes, { metadata: { name } });
    expect(await take(client.watch(nodes, resourceVersion), 2)).toHaveLength(2);
    await client.create(nodes, { metadata: { name: 'c' } });
    expect(await codeOf(take(client.watch(nodes, resourceVersion)))).toBe('GONE');
  });

  it('a watch from 0 begins with what there is', async () => {
    const { client } = await start();
    await client.create(nodes, { metadata: { name: 'a' } });
    const [event] = await take(client.watch(nodes, '0'), 1);
    expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  });

  it('bookmarks come at their interval', async () => {
    const { api, client } = await start({ bookmarkInterval: 20 });
    const { resourceVersion } = await client.list(nodes);
    const watched = take(client.watch(nodes, resourceVersion, { fieldSelector: 'metadata.name=none' }), 1);
    const kind = kindOf(api, nodes);
    const other = setInterval(() => api.store.put(kind, { metadata: { name: 'other' } }), 10);
    const [event] = await watched;
    clearInterval(other);
    expect(event?.type).toBe('BOOKMARK');
  });

  it('kept objects are frozen, so that no reader can change them for another', async () => {
    const { api, client } = await start();
    await client.create(nodes, { metadata: { name: 'a', labels: { x: 'y' } } });
    const kept = api.store.get(kindOf(api, nodes), { name: 'a' });
    expect(() => Object.assign(kept.metadata.labels ?? {}, { x: 'z' })).toThrow(TypeError);
  });
});

interface Page {
  readonly metadata: {
    readonly continue: string;
    readonly resourceVersion: string;
    readonly remainingItemCount: number;
  };
  readonly items: KubeObject[];
}
