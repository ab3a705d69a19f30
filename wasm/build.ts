// Builds the policies: TypeScript -> bundle -> component (QuickJS) -> JavaScript and core modules in wasm/gen.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limitMemory } from './memory-limit.ts';
import { quickjsRuntime } from './quickjs-runtime.ts';

export interface PolicySource {
  /** Name of the world, of its folder below wit/ and of the folder with the source. */
  readonly name: string;
  /** Most memory that an instance may have, in pages of 64 KiB. */
  readonly maxPages: number;
}

export const POLICIES: readonly PolicySource[] = [{ name: 'device-policy', maxPages: 1024 }];

const here = fileURLToPath(new URL('.', import.meta.url));
const STAMP = '.built-from.json';
const TOOLS = ['esbuild', 'componentize-qjs', '@bytecodealliance/jco-transpile', 'binaryen'];

/** What the outputs were made from and which they are; lies beside them and is written last. */
interface Stamp {
  inputs: string;
  outputs: string[];
}

/** Builds what is not up to date in `gen`; returns the names of what was built. */
export async function buildPolicies(gen: string): Promise<string[]> {
  const stale = stalePolicies(gen);
  for (const policy of stale) await buildPolicy(policy, join(gen, policy.name));
  return stale.map(({ name }) => name);
}

/** The policies whose outputs in `gen` are missing, incomplete or made from other inputs. */
export function stalePolicies(gen: string): PolicySource[] {
  return POLICIES.filter(({ name }) => !isUpToDate(join(gen, name), hashInputs(name)));
}

/** Builds one policy into `folder`, which appears complete or not at all. */
export async function buildPolicy(policy: PolicySource, folder: string): Promise<void> {
  const inputs = hashInputs(policy.name);
  const outputs = await transpile(policy, await componentize(policy.name, await bundle(policy.name)));
  const unfinished = `${folder}.${process.pid}`;
  for (const [file, bytes] of outputs) {
    mkdirSync(dirname(join(unfinished, file)), { recursive: true });
    writeFileSync(join(unfinished, file), bytes);
  }
  const stamp: Stamp = { inputs, outputs: outputs.map(([file]) => file) };
  writeFileSync(join(unfinished, STAMP), `${JSON.stringify(stamp)}\n`);
  replaceFolder(unfinished, folder);
}

function replaceFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  try {
    renameSync(from, to);
  } catch (error) {
    // Another build of the same tree was faster: what it made is as good.
    rmSync(from, { recursive: true, force: true });
    if (!existsSync(join(to, STAMP))) throw error;
  }
}

function isUpToDate(folder: string, inputs: string): boolean {
  if (!existsSync(join(folder, STAMP))) return false;
  const stamp: Stamp = JSON.parse(readFileSync(join(folder, STAMP), 'utf8'));
  return stamp.inputs === inputs && stamp.outputs.every((file) => existsSync(join(folder, file)));
}

/** SHA-256 over the contract, the source, this program and the versions of the tools. */
function hashInputs(name: string): string {
  const files = [
    ...filesIn(join(here, 'wit', name)),
    ...filesIn(join(here, name)),
    join(here, 'build.ts'),
    join(here, 'memory-limit.ts'),
    ...runtimeInputs(),
  ];
  return hashFiles(files);
}

/** Where the prepared runtime is kept between builds. */
export function runtimeCache(): string {
  return join(here, 'gen', `.quickjs-${hashFiles(runtimeInputs())}.wasm`);
}

function runtimeInputs(): string[] {
  const tools = TOOLS.map((tool) => join(here, '..', 'node_modules', tool, 'package.json'));
  return [join(here, 'quickjs-runtime.ts'), ...tools];
}

/** Paths are hashed relative to this folder, so that two checkouts agree. */
function hashFiles(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${relative(here, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

// The tools are imported where they are used: an up-to-date tree is told in milliseconds.

async function bundle(name: string): Promise<string> {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(here, name, 'index.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    charset: 'utf8',
    write: false,
    // Paths in the bundle must not depend on where the build was started.
    absWorkingDir: here,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`esbuild made nothing of ${name}`);
  return file.text;
}

async function componentize(name: string, jsSource: string): Promise<Uint8Array> {
  const { componentize } = await import('componentize-qjs');
  const { component } = await componentize({
    witPath: join(here, 'wit', name),
    world: name,
    jsSource,
    // Whatever the engine would ask of a system becomes a trap inside the component.
    stubWasi: true,
    runtimeBytes: await quickjsRuntime(runtimeCache()),
  });
  return component;
}

/** Outputs as file name and content. The component must import nothing: that is what makes it a sandbox. */
async function transpile(policy: PolicySource, component: Uint8Array): Promise<[string, Uint8Array][]> {
  const { transpileBytes } = await import('@bytecodealliance/jco-transpile');
  const { files, imports } = await transpileBytes(component, {
    name: policy.name,
    // Synchronous, so that a fresh instance after a trap needs no asynchronous call.
    instantiation: 'sync',
    // Core modules stay files: decoding base64 would cost the CLI at each start.
    base64Cutoff: 0,
    // An answer `err` must be told from a trap: it is thrown as an error with a payload.
    noComponentErrorWrapping: false,
  });
  if (imports.length > 0) throw new Error(`${policy.name} imports ${imports.join(', ')}`);
  const component_: [string, Uint8Array] = [`${policy.name}.component.wasm`, component];
  return [component_, ...limited(files, policy.maxPages)];
}

/** Each memory is capped by itself: the engine's, and the two of the stubs that stand for WASI. */
function limited(files: Record<string, Uint8Array>, maxPages: number): [string, Uint8Array][] {
  let memories = 0;
  const outputs = Object.entries(files).map(([file, bytes]): [string, Uint8Array] => {
    const capped = file.endsWith('.wasm') ? limitMemory(bytes, maxPages) : undefined;
    if (capped) memories++;
    return [file, capped ?? bytes];
  });
  if (memories === 0) throw new Error('found no memory to limit');
  return outputs;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now();
  const built = await buildPolicies(join(here, 'gen'));
  if (built.length > 0) {
    process.stderr.write(`built ${built.join(', ')} in ${Math.round(performance.now() - started)} ms\n`);
  }
}
