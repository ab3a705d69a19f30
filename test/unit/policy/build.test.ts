// The build of the policies: reproducible, incremental, sealed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { componentWit } from '@bytecodealliance/jco-transpile/wasm-tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPolicies, buildPolicy, POLICIES, stalePolicies } from '../../../wasm/build.ts';
import { limitMemory } from '../../../wasm/memory-limit.ts';

const root = new URL('../../../', import.meta.url).pathname;
const temporary = mkdtempSync(join(tmpdir(), 'policies-'));
const tree = join(root, 'wasm/gen');
const policy = POLICIES.find(({ name }) => name === 'device-policy') ?? expect.fail('no device-policy');
const BUILDS_TAKE = 60_000;

/** File names below a folder with the hash of what is in them. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files
      .filter((file) => statSync(join(folder, file)).isFile())
      .map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
      ]),
  );
}

// One build here; the other is that of the tree, made by another process, in another folder, maybe days ago.
beforeAll(async () => {
  await buildPolicies(tree);
  await buildPolicy(policy, join(temporary, policy.name));
}, BUILDS_TAKE);
afterAll(() => rmSync(temporary, { recursive: true }));

describe('two builds of a policy', () => {
  it('are equal byte for byte', () => {
    const built = contents(join(temporary, policy.name));
    expect(built).toEqual(contents(join(tree, policy.name)));
    expect(Object.keys(built).length).toBeGreaterThan(5);
  });

  it('leave nothing else behind', () => {
    expect(readdirSync(temporary)).toEqual([policy.name]);
  });
});

describe('a built policy', () => {
  const read = (file: string) => readFileSync(join(temporary, policy.name, file));

  it('is a component that imports nothing', async () => {
    const wit = await componentWit(read(`${policy.name}.component.wasm`));
    expect(wit).toMatch(/^\s*export virt:device-policy\/policy@0\.1\.0;$/m);
    expect(wit).not.toMatch(/^\s*import\b/m);
  });

  it('asks the host for nothing but its own modules', () => {
    expect(read(`${policy.name}.js`).toString()).not.toMatch(/^\s*import\b|\bimports\[|\bimports\./m);
  });

  it('may have 64 MiB of memory and no more', () => {
    const modules = readdirSync(join(temporary, policy.name)).filter((file) => /\.core\d*\.wasm$/.test(file));
    const capped = modules.map(read).filter((bytes) => limitMemory(bytes, 1024) !== undefined);
    expect(capped.length).toBeGreaterThan(0);
    expect(capped.map((bytes) => Buffer.from(limitMemory(bytes, 1024) ?? []).equals(bytes))).not.toContain(
      false,
    );
  });

  it('has a source that type-checks against its contract, without any type of Node', () => {
    const tsc = join(root, 'node_modules/.bin/tsc');
    expect(execFileSync(tsc, ['--noEmit', '-p', 'wasm/tsconfig.json'], { cwd: root, encoding: 'utf8' })).toBe(
      '',
    );
  });
});

describe('building again', () => {
  const isStale = () => stalePolicies(temporary).includes(policy);

  it('does nothing while inputs and outputs are as they were', () => {
    expect(isStale()).toBe(false);
  });

  it('is due when an output is missing', () => {
    const missing = join(temporary, policy.name, `${policy.name}.js`);
    const bytes = readFileSync(missing);
    rmSync(missing);
    expect(isStale()).toBe(true);
    writeFileSync(missing, bytes);
    expect(isStale()).toBe(false);
  });

  it('is due when it was made from other inputs', () => {
    const stamp = join(temporary, policy.name, '.built-from.json');
    const text = readFileSync(stamp, 'utf8');
    writeFileSync(stamp, JSON.stringify({ ...JSON.parse(text), inputs: '0'.repeat(64) }));
    expect(isStale()).toBe(true);
    writeFileSync(stamp, text);
  });

  it('is due where nothing was built yet', () => {
    expect(stalePolicies(join(temporary, 'nothing'))).toEqual(POLICIES);
  });
});
