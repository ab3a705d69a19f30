// Laws of patches, selectors and the rules of objects in the in-memory API.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, type PatchOperation } from '../../../proto/kube/memory/json-patch.ts';
import { parseLabelSelector } from '../../../proto/kube/memory/label-selector.ts';
import { applyMergePatch } from '../../../proto/kube/memory/merge-patch.ts';
import { createdObject, updatedObject } from '../../../proto/kube/memory/object-rules.ts';
import type { ServedKind, StoredObject } from '../../../proto/kube/memory/served-kind.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const json = fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as Json);
const object = fc
  .dictionary(fc.string(), json)
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, Json>);

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

describe('JSON patch', () => {
  it('leaves the document as it was', () => {
    fc.assert(
      fc.property(object, fc.string(), json, (document, key, value) => {
        const before = JSON.stringify(document);
        applyJsonPatch(document, [{ op: 'add', path: `/${escaped(key)}`, value }]);
        expect(JSON.stringify(document)).toBe(before);
      }),
    );
  });

  it('what was added is there, passes its test, and is gone once removed', () => {
    fc.assert(
      fc.property(object, fc.string(), json, (document, key, value) => {
        const path = `/${escaped(key)}`;
        const added = applyJsonPatch(document, [
          { op: 'add', path, value },
          { op: 'test', path, value },
        ]) as object;
        expect(Object.hasOwn(added, key)).toBe(true);
        const removed = applyJsonPatch(added, [{ op: 'remove', path }]) as object;
        expect(Object.keys(removed).sort()).toEqual(
          Object.keys(document)
            .filter((k) => k !== key)
            .sort(),
        );
      }),
    );
  });

  it('an array element added and removed at any place leaves the array', () => {
    fc.assert(
      fc.property(fc.array(json), fc.nat(), json, (list, place, value) => {
        const path = `/${place % (list.length + 1)}`;
        const operations: PatchOperation[] = [
          { op: 'add', path, value },
          { op: 'remove', path },
        ];
        expect(applyJsonPatch(list, operations)).toEqual(list);
      }),
    );
  });

  it('move is copy and remove', () => {
    fc.assert(
      fc.property(object, json, (document, value) => {
        const from = applyJsonPatch(document, [{ op: 'add', path: '/from', value }]);
        const moved = applyJsonPatch(from, [{ op: 'move', from: '/from', path: '/to' }]);
        const copied = applyJsonPatch(from, [
          { op: 'copy', from: '/from', path: '/to' },
          { op: 'remove', path: '/from' },
        ]);
        expect(moved).toEqual(copied);
      }),
    );
  });
});

describe('merge patch', () => {
  it('applied twice is applied once, and leaves the document as it was', () => {
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const before = JSON.stringify(document);
        const once = applyMergePatch(document, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
        expect(JSON.stringify(document)).toBe(before);
      }),
    );
  });

  it('leaves no null where the patch said null', () => {
    fc.assert(
      fc.property(object, fc.string(), (document, key) => {
        const patched = applyMergePatch(document, Object.fromEntries([[key, null]])) as object;
        expect(Object.hasOwn(patched, key)).toBe(false);
      }),
    );
  });
});

describe('label selectors', () => {
  const word = fc.stringMatching(/^[a-z]([a-z0-9]{0,3})$/);
  const labels = fc.dictionary(word, word);

  it('each operator is the opposite of its negation', () => {
    fc.assert(
      fc.property(labels, word, word, word, (given, key, a, b) => {
        const chosen = (text: string) => parseLabelSelector(text)(given);
        expect(chosen(`${key}=${a}`)).toBe(!chosen(`${key}!=${a}`));
        expect(chosen(`${key} in (${a}, ${b})`)).toBe(!chosen(`${key} notin (${a},${b})`));
        expect(chosen(key)).toBe(!chosen(`!${key}`));
        expect(chosen(`${key} in (${a})`)).toBe(chosen(`${key}==${a}`));
      }),
    );
  });

  it('a comma means and', () => {
    fc.assert(
      fc.property(labels, word, word, word, (given, key, a, b) => {
        const chosen = (text: string) => parseLabelSelector(text)(given);
        const left = `${key} in (${a},${b})`;
        expect(chosen(`${left},${b}`)).toBe(chosen(left) && chosen(b));
      }),
    );
  });

  it('the labels of an object choose it', () => {
    fc.assert(
      fc.property(labels, (given) => {
        const text = Object.entries(given).map(([key, value]) => `${key}=${value}`);
        expect(parseLabelSelector(text.join(','))(given)).toBe(true);
      }),
    );
  });
});

describe('objects', () => {
  const kind: ServedKind = {
    group: 'kubectl-virt.dev',
    version: 'v1',
    plural: 'things',
    kind: 'Thing',
    namespaced: false,
    statusSubresource: true,
  };
  const typed = { apiVersion: 'kubectl-virt.dev/v1', kind: 'Thing' };
  const birth = { uid: 'u', now: new Date(0), suffix: 'abcde' };
  const stored = fc.tuple(json, json).map(([spec, status]): StoredObject => {
    const made = createdObject(kind, undefined, { ...typed, metadata: { name: 'a' }, spec }, birth);
    return { ...made, status, metadata: { ...made.metadata, resourceVersion: '7' } };
  });

  it('an update with the object itself changes nothing, on either path', () => {
    fc.assert(
      fc.property(stored, fc.boolean(), (old, status) => {
        expect(updatedObject(kind, old, structuredClone(old), status)).toBe(old);
      }),
    );
  });

  it('the main path never changes status, the status path nothing else', () => {
    fc.assert(
      fc.property(stored, json, json, (old, spec, status) => {
        const sent = { ...old, spec, status };
        expect(updatedObject(kind, old, sent, false)).toMatchObject({ spec, status: old.status });
        expect(updatedObject(kind, old, sent, true)).toMatchObject({ spec: old.spec, status });
      }),
    );
  });

  it('generation counts changes of the spec only', () => {
    fc.assert(
      fc.property(stored, json, json, (old, spec, status) => {
        const next = updatedObject(kind, old, { ...old, spec }, false);
        expect(next.metadata.generation).toBe(isDeepStrictEqual(spec, old.spec) ? 1 : 2);
        expect(updatedObject(kind, old, { ...old, status }, true).metadata.generation).toBe(1);
      }),
    );
  });
});
