// The runtime below the policies, as the build prepares it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runtimeCache } from '../../../wasm/build.ts';
import { quickjsRuntime } from '../../../wasm/quickjs-runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'runtime-'));
let bytes: Buffer;

// The one that the policies of the tree were built with; made here only when there is none.
beforeAll(async () => {
  bytes = await quickjsRuntime(runtimeCache());
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the runtime', () => {
  const imports = () => WebAssembly.Module.imports(new WebAssembly.Module(Uint8Array.from(bytes)));

  it('imports no source of chance: neither a seed nor a clock', () => {
    const names = imports().map(({ module, name }) => `${module.replace(/@.*/, '')} ${name}`);
    expect(names).not.toContain('wasi:random/insecure-seed insecure-seed');
    expect(names).not.toContain('wasi:clocks/wall-clock now');
    expect(names).not.toContain('wasi:clocks/monotonic-clock now');
  });

  it('is still a part that the tool can link: it keeps its memory and its stack outside', () => {
    const outside = imports().filter(({ module }) => module === 'env');
    expect(outside.map(({ name }) => name)).toEqual(expect.arrayContaining(['memory', '__stack_pointer']));
  });

  it('is the one without asynchronous calls', () => {
    expect(imports().filter(({ name }) => /async|waitable|task/.test(name))).toEqual([]);
  });

  it('is made once: later calls read the file', async () => {
    const cache = join(folder, 'runtime.wasm');
    writeFileSync(cache, 'as it was found');
    expect((await quickjsRuntime(cache)).toString()).toBe('as it was found');
  });
});
