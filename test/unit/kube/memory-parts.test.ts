// The pieces of the API in memory: selectors, paths, discovery, the store.
import { describe, expect, it } from 'vitest';
import { ApiFailure } from '../../../proto/kube/memory/api-failure.ts';
import { discoveryDocument } from '../../../proto/kube/memory/discovery.ts';
import { Faults } from '../../../proto/kube/memory/faults.ts';
import { parseFieldSelector } from '../../../proto/kube/memory/field-selector.ts';
import { parseLabelSelector } from '../../../proto/kube/memory/label-selector.ts';
import { type Change, MemoryStore } from '../../../proto/kube/memory/memory-store.ts';
import { requestTarget } from '../../../proto/kube/memory/request-target.ts';
import { DEFAULT_KINDS, type ServedKind } from '../../../proto/kube/memory/served-kind.ts';

function kind(plural: string): ServedKind {
  return DEFAULT_KINDS.find((each) => each.plural === plural) ?? expect.unreachable(plural);
}

const refused = (code: number) => expect.objectContaining({ code });

describe('label selectors', () => {
  const labels = { tier: 'web', zone: '', 'app.dev/name': 'shop' };

  it.each([
    ['', true],
    ['tier=web', true],
    ['tier==web', true],
    ['tier = web', true],
    ['tier!=web', false],
    ['tier!=db', true],
    ['missing!=db', true],
    ['missing=', false],
    ['zone=', true],
    ['zone', true],
    ['!zone', false],
    ['!missing', true],
    ['app.dev/name in (shop, bar)', true],
    ['tier in (db)', false],
    ['tier notin (db)', true],
    ['missing notin (db)', true],
    ['missing in (db)', false],
    ['tier=web,!missing,app.dev/name in (shop)', true],
    ['tier=web,missing', false],
    ['constructor', false],
  ])('%j chooses the object: %s', (text, chosen) => {
    expect(parseLabelSelector(text)(labels)).toBe(chosen);
  });

  it.each(['a in (', 'a in b', '=b', 'a=b=c', ',', 'a b', '!', 'a~b'])('%j is no selector', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(refused(400));
  });

  it('an object without labels is chosen by what excludes', () => {
    expect(parseLabelSelector('!a')(undefined)).toBe(true);
    expect(parseLabelSelector('a')(undefined)).toBe(false);
  });
});

describe('field selectors', () => {
  const event = {
    metadata: { name: 'e', namespace: 'shop' },
    reason: 'Attached',
    involvedObject: { kind: 'Pod', name: 'web' },
  };

  it.each([
    ['', true],
    ['metadata.name=e', true],
    ['metadata.name==e', true],
    ['metadata.namespace!=shop', false],
    ['involvedObject.kind=Pod,involvedObject.name=web', true],
    ['involvedObject.name=db', false],
    ['involvedObject.uid=', true],
    ['reason!=Detached', true],
  ])('%j chooses the object: %s', (text, chosen) => {
    expect(parseFieldSelector(kind('events'), text)(event)).toBe(chosen);
  });

  it.each([
    ['events', 'metadata.uid=1'],
    ['events', 'reason'],
    ['nodes', 'metadata.namespace=shop'],
    ['configmaps', 'data.a=b'],
  ])('of %s, %j is refused', (plural, text) => {
    expect(() => parseFieldSelector(kind(plural), text)).toThrow(refused(400));
  });
});

describe('paths', () => {
  const store = new MemoryStore();
  const shown = (path: string) => {
    const target = requestTarget(store, path);
    return target && [target.kind.plural, target.namespace, target.name, target.subresource];
  };

  it.each([
    ['/api/v1/nodes', ['nodes', undefined, undefined, undefined]],
    ['/api/v1/nodes/a', ['nodes', undefined, 'a', undefined]],
    ['/api/v1/nodes/a/status', ['nodes', undefined, 'a', 'status']],
    ['/api/v1/pods', ['pods', undefined, undefined, undefined]],
    ['/api/v1/namespaces/shop/pods', ['pods', 'shop', undefined, undefined]],
    ['/api/v1/namespaces/shop/pods/web/log', ['pods', 'shop', 'web', 'log']],
    ['/api/v1/namespaces', ['namespaces', undefined, undefined, undefined]],
    ['/api/v1/namespaces/shop', ['namespaces', undefined, 'shop', undefined]],
    ['/api/v1/namespaces/shop/status', ['namespaces', undefined, 'shop', 'status']],
    ['/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims/c', ['resourceclaims', 'shop', 'c', undefined]],
    ['/api/v1/nodes/a%2Fb', ['nodes', undefined, 'a/b', undefined]],
  ])('%s points at %j', (path, expected) => {
    expect(shown(path)).toEqual(expected);
  });

  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v2/nodes',
    '/api/v1/gadgets',
    '/apis/v1/nodes',
    '/api/v1/pods/web',
    '/api/v1/namespaces/shop/nodes/a',
    '/api/v1/nodes/',
    '/api/v1/nodes/a/b/c',
    '/metrics',
  ])('%s points at nothing', (path) => {
    expect(shown(path)).toBeUndefined();
  });
});

describe('discovery', () => {
  it('lists a status subresource with its verbs', () => {
    const document = discoveryDocument([kind('nodes')], '/api/v1');
    expect(document).toMatchObject({
      groupVersion: 'v1',
      resources: [
        {
          name: 'nodes',
          singularName: 'node',
          kind: 'Node',
          verbs: expect.arrayContaining(['list', 'watch']),
        },
        { name: 'nodes/status', kind: 'Node', verbs: ['get', 'patch', 'update'] },
      ],
    });
  });

  it('has no document for versions and groups without kinds', () => {
    for (const path of [
      '/api/v2',
      '/apis/resource.k8s.io',
      '/apis/resource.k8s.io/v1',
      '/openapi/v3',
      '/api/v1/nodes',
    ]) {
      expect(discoveryDocument([kind('nodes')], path)).toBeUndefined();
    }
  });
});

describe('the store', () => {
  const nodes = kind('nodes');

  it('gives every change a version of its own, over all kinds', () => {
    const store = new MemoryStore();
    const versions = [
      store.put(nodes, { metadata: { name: 'a' } }),
      store.put(kind('pods'), { metadata: { namespace: 'x', name: 'a' } }),
      store.put(nodes, { metadata: { name: 'a' } }),
    ].map(({ metadata }) => Number(metadata.resourceVersion));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    expect(store.version).toBe(versions.at(-1));
  });

  it('lists by namespace, then name', () => {
    const store = new MemoryStore();
    const pods = kind('pods');
    for (const [namespace = '', name = ''] of [
      ['a-b', 'a'],
      ['a', 'z'],
      ['a', 'b'],
    ]) {
      store.put(pods, { metadata: { namespace, name } });
    }
    const keys = store.list(pods, undefined).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(keys).toEqual(['a/b', 'a/z', 'a-b/a']);
    expect(store.list(pods, 'a')).toHaveLength(2);
  });

  it('tells its listeners what was and what is, until they leave', () => {
    const store = new MemoryStore();
    const changes: Change[] = [];
    const leave = store.subscribe((change) => changes.push(change));
    const made = store.put(nodes, { metadata: { name: 'a' } });
    store.remove(nodes, made);
    leave();
    store.put(nodes, { metadata: { name: 'b' } });
    expect(changes.map(({ object, previous }) => [object, previous])).toEqual([
      [made, undefined],
      [undefined, made],
    ]);
  });

  it('remembers the last changes only', () => {
    const store = new MemoryStore(2);
    const begin = store.version;
    for (const name of ['a', 'b']) store.put(nodes, { metadata: { name } });
    expect(store.changesSince(begin)).toHaveLength(2);
    store.put(nodes, { metadata: { name: 'c' } });
    expect(() => store.changesSince(begin)).toThrow(refused(410));
    expect(store.changesSince(begin + 1)).toHaveLength(2);
    store.compact();
    expect(() => store.changesSince(begin + 1)).toThrow(ApiFailure);
    expect(store.changesSince(store.version)).toEqual([]);
  });

  it('is not changed through what was put in', () => {
    const store = new MemoryStore();
    const labels = { x: 'y' };
    store.put(nodes, { metadata: { name: 'a', labels } });
    labels.x = 'z';
    expect(store.get(nodes, { name: 'a' }).metadata.labels).toEqual({ x: 'y' });
  });
});

describe('faults', () => {
  it('are used up in the order they were planted', () => {
    const faults = new Faults();
    faults.once({ status: 500 }, (method) => method === 'POST');
    faults.once({ status: 501 });
    faults.once({ status: 502 });
    expect([
      faults.take('GET', '/'),
      faults.take('POST', '/'),
      faults.take('GET', '/'),
      faults.take('GET', '/'),
    ]).toEqual([{ status: 501 }, { status: 500 }, { status: 502 }, undefined]);
  });
});
