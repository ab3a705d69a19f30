// Globs of the device policy.
import { describe, expect, it } from 'vitest';
import { glob } from '../../../wasm/device-policy/glob.ts';

const MATCHES: [pattern: string, text: string][] = [
  ['', ''],
  ['*', ''],
  ['*', 'anything at all'],
  ['**', 'x'],
  ['abc', 'abc'],
  ['a*', 'a'],
  ['a*', 'abc'],
  ['*c', 'abc'],
  ['a*c', 'ac'],
  ['a*c', 'abbbc'],
  ['a*b*c', 'a-b-b-c'],
  ['*b*', 'abc'],
  ['*aab*', 'aaab'],
  ['*abab*c', 'abababc'],
  ['*ab*ab*', 'abab'],
  ['ключ*', 'ключ №1'],
  ['a.c', 'a.c'],
  ['[a]', '[a]'],
  ['a?c', 'a?c'],
];

const MISSES: [pattern: string, text: string][] = [
  ['', 'a'],
  ['abc', 'abcd'],
  ['abc', 'ABC'],
  ['a*', 'ba'],
  ['*c', 'cb'],
  ['ab*ba', 'aba'],
  ['a*b*c', 'a-c-b'],
  ['*ab*ab*', 'aba'],
  ['*x*', 'abc'],
  ['a*bc*c', 'abc'],
  ['a.c', 'abc'],
  ['a?c', 'abc'],
  ['[a]', 'a'],
];

describe('a glob', () => {
  it.each(MATCHES)('%j matches %j', (pattern, text) => {
    expect(glob(pattern)(text)).toBe(true);
  });

  it.each(MISSES)('%j does not match %j', (pattern, text) => {
    expect(glob(pattern)(text)).toBe(false);
  });

  it('takes time that grows with the lengths, not with their product or worse', () => {
    const size = 200_000;
    const text = 'a'.repeat(size);
    const hostile = [
      `*${'a*'.repeat(size / 2)}b`,
      `*${'a'.repeat(size / 2)}b*`,
      `a*${'ab*'.repeat(size / 4)}`,
    ];
    const started = performance.now();
    expect(hostile.map((pattern) => glob(pattern)(text))).toEqual([false, false, false]);
    // The product of the lengths would be 2e10 steps: half a minute at best.
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
