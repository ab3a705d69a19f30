// What the API server makes of what a client sends, rule by rule.
import { describe, expect, it } from 'vitest';
import {
  checkUid,
  createdObject,
  terminatingObject,
  updatedObject,
} from '../../../proto/kube/memory/object-rules.ts';
import type { ServedKind, StoredObject } from '../../../proto/kube/memory/served-kind.ts';

const gadget: ServedKind = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  namespaced: true,
  statusSubresource: true,
};
const configMap: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const typed = { apiVersion: 'example.dev/v1', kind: 'Gadget' };
const birth = { uid: 'uid-1', now: new Date('2026-01-02T03:04:05.678Z'), suffix: 'x7k2p' };

const create = (metadata: object, over: object = {}) =>
  createdObject(gadget, 'shop', { ...typed, metadata, ...over }, birth);

const kept: StoredObject = {
  ...typed,
  metadata: {
    name: 'a',
    namespace: 'shop',
    uid: 'uid-1',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { n: 1 },
  status: { ready: true },
};

const update = (metadata: object, over: object = {}) =>
  updatedObject(gadget, kept, { ...kept, ...over, metadata: { ...kept.metadata, ...metadata } }, false);

const refused = (code: number, reason: string) => expect.objectContaining({ code, reason });

describe('a created object', () => {
  it('gets its identity from the server, whatever the client says', () => {
    const metadata = {
      name: 'a',
      uid: 'mine',
      creationTimestamp: 'now',
      generation: 9,
      deletionTimestamp: 'now',
    };
    expect(create(metadata).metadata).toEqual({
      name: 'a',
      namespace: 'shop',
      uid: 'uid-1',
      creationTimestamp: '2026-01-02T03:04:05Z',
      generation: 1,
    });
  });

  it('keeps labels, annotations, owners and finalizers', () => {
    const own = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['x.dev/f'], ownerReferences: [] };
    expect(create({ name: 'a', ...own }).metadata).toMatchObject(own);
  });

  it('has no status when that is a subresource, and else keeps it', () => {
    expect(create({ name: 'a' }, { status: { ready: true } })).not.toHaveProperty('status');
    const plain = { ...gadget, statusSubresource: false };
    const body = { ...typed, metadata: { name: 'a' }, status: { ready: true } };
    expect(createdObject(plain, 'shop', body, birth)).toMatchObject({ status: { ready: true } });
  });

  it('is named by its name, else by generateName', () => {
    expect(create({ generateName: 'a-' }).metadata.name).toBe('a-x7k2p');
    expect(create({ name: 'b', generateName: 'a-' }).metadata.name).toBe('b');
  });

  it('of a core kind needs no type and has no generation', () => {
    const made = createdObject(configMap, 'shop', { metadata: { name: 'a' } }, birth);
    expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(made.metadata).not.toHaveProperty('generation');
  });

  it.each([
    ['without a name', {}],
    ['with upper case', { name: 'Web' }],
    ['that ends in a dash', { name: 'web-' }],
    ['with a slash', { name: 'a/b' }],
    ['of 254 characters', { name: 'a'.repeat(254) }],
  ])('%s is invalid', (_, metadata) => {
    expect(() => create(metadata)).toThrow(refused(422, 'Invalid'));
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'x'],
    ['of no kind', { metadata: { name: 'a' } }],
    ['of another kind', { ...typed, kind: 'Widget', metadata: { name: 'a' } }],
    ['of another version', { ...typed, apiVersion: 'example.dev/v2', metadata: { name: 'a' } }],
    ['of another namespace', { ...typed, metadata: { name: 'a', namespace: 'other' } }],
  ])('that is %s is a bad request', (_, body) => {
    expect(() => createdObject(gadget, 'shop', body, birth)).toThrow(refused(400, 'BadRequest'));
  });
});

describe('an update', () => {
  it('cannot change what the server gave', () => {
    const next = update({
      creationTimestamp: 'x',
      generation: 99,
      deletionTimestamp: 'x',
      labels: { a: 'b' },
    });
    expect(next.metadata).toEqual({ ...kept.metadata, labels: { a: 'b' } });
  });

  it('can drop what the server gave, without effect', () => {
    const { name, resourceVersion } = kept.metadata;
    const sent = { ...kept, spec: { n: 2 }, metadata: { name, resourceVersion } };
    const next = updatedObject(gadget, kept, sent, false);
    expect(next.metadata).toMatchObject({
      uid: 'uid-1',
      generation: 4,
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
  });

  it('of fields outside spec and status counts as a change of the content', () => {
    expect(update({}, { data: { a: 'b' } }).metadata.generation).toBe(4);
    expect(update({}, { status: { ready: false } })).toBe(kept);
  });

  it('of another version is a conflict, whatever its uid', () => {
    expect(() => update({ resourceVersion: '6' })).toThrow(refused(409, 'Conflict'));
    expect(() => update({ resourceVersion: '6', uid: 'uid-2' })).toThrow(refused(409, 'Conflict'));
  });

  it('with another uid is a conflict as a precondition, else a change of what cannot change', () => {
    expect(() => checkUid(gadget, kept, { metadata: { uid: 'uid-2' } })).toThrow(refused(409, 'Conflict'));
    expect(() => update({ uid: 'uid-2' })).toThrow(refused(422, 'Invalid'));
    for (const body of [{ metadata: { uid: 'uid-1' } }, { metadata: {} }, {}, null]) {
      expect(() => checkUid(gadget, kept, body)).not.toThrow();
    }
  });

  it('without a version is for built-in kinds only', () => {
    expect(() => update({ resourceVersion: undefined })).toThrow(refused(422, 'Invalid'));
    const old = { metadata: { name: 'a', namespace: 'shop', resourceVersion: '7' } };
    const sent = { metadata: { name: 'a' }, data: { a: 'b' } };
    expect(updatedObject(configMap, old, sent, false)).toMatchObject({ data: { a: 'b' } });
  });

  it('under another name is a bad request', () => {
    expect(() => update({ name: 'b' })).toThrow(refused(400, 'BadRequest'));
  });

  it('may take finalizers from an object that is being deleted, not add to them', () => {
    const waiting = terminatingObject(
      { ...kept, metadata: { ...kept.metadata, finalizers: ['f', 'g'] } },
      birth.now,
    );
    const write = (finalizers: string[]) =>
      updatedObject(gadget, waiting, { ...waiting, metadata: { ...waiting.metadata, finalizers } }, false);
    expect(write(['g']).metadata).toMatchObject({
      finalizers: ['g'],
      deletionTimestamp: '2026-01-02T03:04:05Z',
    });
    expect(() => write(['f', 'g', 'h'])).toThrow(refused(422, 'Invalid'));
  });
});
