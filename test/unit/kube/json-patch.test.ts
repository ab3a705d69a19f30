// JSON Patch: the examples of RFC 6902, appendix A, and where the API server differs.
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, PatchFailure, type PatchOperation } from '../../../proto/kube/memory/json-patch.ts';
import { applyMergePatch } from '../../../proto/kube/memory/merge-patch.ts';

describe('JSON patch', () => {
  it.each<[string, unknown, PatchOperation, unknown]>([
    [
      'A.1 adds a member',
      { foo: 'bar' },
      { op: 'add', path: '/baz', value: 'qux' },
      { baz: 'qux', foo: 'bar' },
    ],
    ['A.2 adds an element', { foo: [1, 3] }, { op: 'add', path: '/foo/1', value: 2 }, { foo: [1, 2, 3] }],
    ['A.3 removes a member', { baz: 1, foo: 2 }, { op: 'remove', path: '/baz' }, { foo: 2 }],
    ['A.4 removes an element', { foo: [1, 2, 3] }, { op: 'remove', path: '/foo/1' }, { foo: [1, 3] }],
    ['A.5 replaces', { baz: 1, foo: 2 }, { op: 'replace', path: '/baz', value: 3 }, { baz: 3, foo: 2 }],
    [
      'A.6 moves a member',
      { a: { x: 1 }, b: {} },
      { op: 'move', from: '/a/x', path: '/b/y' },
      { a: {}, b: { y: 1 } },
    ],
    ['A.7 moves an element', { l: [1, 2, 3] }, { op: 'move', from: '/l/0', path: '/l/2' }, { l: [2, 3, 1] }],
    ['A.10 adds an object', { a: 1 }, { op: 'add', path: '/b', value: { c: {} } }, { a: 1, b: { c: {} } }],
    [
      'A.14 unescapes in order',
      { '/': 9, '~1': 10 },
      { op: 'test', path: '/~01', value: 10 },
      { '/': 9, '~1': 10 },
    ],
    ['A.16 appends', { foo: ['bar'] }, { op: 'add', path: '/foo/-', value: ['x'] }, { foo: ['bar', ['x']] }],
    ['replaces the whole', { a: 1 }, { op: 'replace', path: '', value: [] }, []],
    [
      'replaces a missing member, as the API server does',
      {},
      { op: 'replace', path: '/a', value: 1 },
      { a: 1 },
    ],
  ])('%s', (_, document, operation, expected) => {
    expect(applyJsonPatch(document, [operation])).toEqual(expected);
  });

  it.each<[string, unknown, PatchOperation]>([
    ['A.9 a test that fails', { baz: 'qux' }, { op: 'test', path: '/baz', value: 'bar' }],
    ['A.12 a member of nothing', { foo: 'bar' }, { op: 'add', path: '/baz/bat', value: 'qux' }],
    ['A.15 a number for a text', { '~1': 10 }, { op: 'test', path: '/~01', value: '10' }],
    ['a place behind the end', [1], { op: 'add', path: '/2', value: 1 }],
    ['a place that is no number', [1], { op: 'add', path: '/01', value: 1 }],
    ['removing what is not there', {}, { op: 'remove', path: '/a' }],
    ['removing an element that is not there', [1], { op: 'remove', path: '/1' }],
    ['replacing an element that is not there', [], { op: 'replace', path: '/0', value: 1 }],
    ['adding nothing', {}, { op: 'add', path: '/a' }],
    ['a pointer without a slash', {}, { op: 'add', path: 'a', value: 1 }],
    ['a move from nowhere', {}, { op: 'move', path: '/a' }],
    ['an operation that nobody knows', {}, { op: 'increment' as 'add', path: '/a', value: 1 }],
    ['a member that only the prototype has', {}, { op: 'test', path: '/constructor', value: Object }],
  ])('refuses %s', (_, document, operation) => {
    expect(() => applyJsonPatch(document, [operation])).toThrow(PatchFailure);
  });
});

describe('merge patch', () => {
  it.each([
    // RFC 7386, appendix A.
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of %j with %j is %j', (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });
});
