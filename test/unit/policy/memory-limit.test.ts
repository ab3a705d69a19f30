// The memory cap that the build writes into core modules.
import { describe, expect, it } from 'vitest';
import { limitMemory } from '../../../wasm/memory-limit.ts';

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** A custom section named "a" and one of one global, to have something before and behind. */
const CUSTOM = [0, 3, 1, 0x61, 0xff];
const GLOBAL = [6, 6, 1, 0x7f, 0, 0x41, 7, 0x0b];

const withMemory = (...limits: number[]) =>
  Uint8Array.from([...HEADER, ...CUSTOM, 5, limits.length + 1, 1, ...limits, ...GLOBAL]);

describe('limiting the memory of a module', () => {
  it('adds a maximum where there is none', () => {
    const limited = limitMemory(withMemory(0, 17), 1024);
    expect([...(limited ?? [])]).toEqual([...HEADER, ...CUSTOM, 5, 5, 1, 1, 17, 0x80, 0x08, ...GLOBAL]);
  });

  it('replaces a maximum that is there', () => {
    const limited = limitMemory(withMemory(1, 2, 0xff, 0xff, 0x03), 64);
    expect([...(limited ?? [])]).toEqual([...HEADER, ...CUSTOM, 5, 4, 1, 1, 2, 64, ...GLOBAL]);
  });

  it('reads a minimum of several bytes', () => {
    const limited = limitMemory(withMemory(0, 0x80, 0x02), 300);
    expect([...(limited ?? [])]).toEqual([
      ...HEADER,
      ...CUSTOM,
      5,
      6,
      1,
      1,
      0x80,
      0x02,
      0xac,
      0x02,
      ...GLOBAL,
    ]);
  });

  it('makes a module that can not grow beyond it', async () => {
    const limited = limitMemory(withMemory(0, 1), 2) ?? expect.fail('no memory');
    expect(WebAssembly.validate(Uint8Array.from(limited))).toBe(true);
  });

  it('leaves a module without a memory of its own alone', () => {
    expect(limitMemory(Uint8Array.from([...HEADER, ...CUSTOM, ...GLOBAL]), 1)).toBeUndefined();
    expect(limitMemory(Uint8Array.from(HEADER), 1)).toBeUndefined();
  });

  it('refuses a module that starts with more', () => {
    expect(() => limitMemory(withMemory(0, 17), 16)).toThrow(Error);
    expect(() => limitMemory(withMemory(0, 17), 17)).not.toThrow();
  });

  it('refuses a module with two memories', () => {
    expect(() => limitMemory(Uint8Array.from([...HEADER, 5, 5, 2, 0, 1, 0, 1]), 16)).toThrow(Error);
  });
});
