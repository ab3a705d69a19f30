// The QuickJS runtime that policies run on, without its sources of chance: makes builds reproducible.
// The tool runs the runtime once at build time and keeps its memory as a snapshot. Clock and random seed are in that
// snapshot (Math.random, keys of hash tables), so no two builds would be equal. Here they become constants. A finished
// policy notices nothing: clock and random numbers are not there for it at all.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const MAGIC = Buffer.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
const LAST_SECTION_ID = 13;
const SMALLEST_RUNTIME = 100_000;

/** The bytes of the runtime, made once and kept in the file `cache`. Takes two seconds the first time. */
export async function quickjsRuntime(cache: string): Promise<Buffer> {
  try {
    return readFileSync(cache);
  } catch {
    const bytes = await withoutChance(findRuntime(readFileSync(toolLibrary())));
    mkdirSync(dirname(cache), { recursive: true });
    writeFileSync(`${cache}.${process.pid}`, bytes);
    renameSync(`${cache}.${process.pid}`, cache);
    return bytes;
  }
}

/** Path of the tool's native library for this platform: it holds the runtimes and offers no other way to them. */
function toolLibrary(): string {
  const require = createRequire(import.meta.url);
  require('componentize-qjs');
  const library = Object.keys(require.cache).find((file) => /componentize-qjs[^/]*\.node$/.test(file));
  if (library === undefined) throw new Error('componentize-qjs loaded no native library');
  return library;
}

/** Of the four runtimes in the library, the one without async calls (fewest imports) that is optimised for size. */
function findRuntime(library: Buffer): Uint8Array {
  const found: { bytes: Uint8Array; imports: number }[] = [];
  for (let at = library.indexOf(MAGIC); at >= 0; at = library.indexOf(MAGIC, at + 1)) {
    const bytes = moduleAt(library, at);
    if (bytes === undefined) continue;
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
    if (imports.some(({ name }) => name === 'insecure-seed')) found.push({ bytes, imports: imports.length });
  }
  found.sort((a, b) => a.imports - b.imports || a.bytes.length - b.bytes.length);
  const [runtime] = found;
  if (runtime === undefined) throw new Error('componentize-qjs has no runtime where it is looked for');
  return runtime.bytes;
}

/** The big module that begins there; what follows it may look like further sections, so the longest valid one. */
function moduleAt(library: Buffer, start: number): Uint8Array<ArrayBuffer> | undefined {
  const ends: number[] = [];
  let at = start + MAGIC.length;
  while (at < library.length && (library[at] ?? 0) <= LAST_SECTION_ID) {
    let length = 0;
    let byte = 0x80;
    at++;
    for (let shift = 0; byte >= 0x80; shift += 7) {
      byte = library[at++] ?? 0;
      length += (byte & 0x7f) * 2 ** shift;
    }
    at += length;
    ends.push(at);
  }
  return ends
    .filter((end) => end - start > SMALLEST_RUNTIME && end <= library.length)
    .reverse()
    .map((end) => Uint8Array.from(library.subarray(start, end)))
    .find((bytes) => WebAssembly.validate(bytes));
}

/** Puts functions that answer zero in the place of the imported clocks and of the seed. */
async function withoutChance(runtime: Uint8Array): Promise<Buffer> {
  const { default: binaryen } = await import('binaryen');
  const module = binaryen.readBinary(runtime);
  const { i32, i64, local } = module;
  const result = () => local.get(0, binaryen.i32);
  const zeros = () =>
    module.block(
      null,
      [0, 8].map((offset) => i64.store(offset, 8, result(), i64.const(0n))),
    );
  // Signatures of the canonical ABI: a record is stored where the argument points.
  const answers: Record<string, () => number> = {
    'wasi:random/insecure-seed#insecure-seed': zeros,
    'wasi:clocks/wall-clock#now': () =>
      module.block(null, [i64.store(0, 8, result(), i64.const(0n)), i32.store(8, 4, result(), i32.const(0))]),
    'wasi:clocks/monotonic-clock#now': () => i64.const(0n),
  };
  const functions = Array.from({ length: module.getNumFunctions() }, (_, index) =>
    binaryen.getFunctionInfo(module.getFunctionByIndex(index)),
  );
  for (const info of functions) {
    const answer = answers[`${info.module?.replace(/@.*/, '')}#${info.base}`];
    if (answer === undefined) continue;
    module.removeFunction(info.name);
    module.addFunction(info.name, info.params, info.results, [], answer());
  }
  const bytes = Buffer.from(module.emitBinary());
  module.dispose();
  return bytes;
}
