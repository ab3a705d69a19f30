// How the host runs a component: faults of the guest, missing files, use from a bundle.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { openComponent, refusal } from '../../../wasm/host/component.ts';
import { type Candidate, loadDevicePolicy } from '../../../wasm/host/device-policy.ts';
import { candidate, codeOf, device, rule, WORKER } from './sample.ts';

const root = new URL('../../../', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'component-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** More text than the 64 MiB that an instance may have. */
const HUGE = 'x'.repeat(70 * 2 ** 20);

describe('a guest that traps', () => {
  it('fails the call with POLICY_TRAPPED and leaves the host usable', async () => {
    const [policy, other] = await Promise.all([loadDevicePolicy(), loadDevicePolicy()]);
    expect(codeOf(() => policy.judge([device({ product: HUGE })], [], WORKER))).toBe('POLICY_TRAPPED');
    expect(policy.judge([device()], [], WORKER)).toMatchObject([{ verdict: 'offered' }]);
    expect(policy.select('datatraveler', [candidate()])).toEqual([0]);
    expect(other.select('datatraveler', [candidate()])).toEqual([0]);
  });

  it('counts as trapped when it catches that it is out of memory', () => {
    const outOfMemory = Object.assign(new Error('out of memory'), { payload: 'out of memory' });
    expect(refusal(outOfMemory)).toBeUndefined();
  });

  it('is the answer to arguments of a wrong type, too', async () => {
    const policy = await loadDevicePolicy();
    const wrong: unknown = { ...candidate(), product: 3 };
    expect(codeOf(() => policy.select('x', [wrong as Candidate]))).toBe('POLICY_TRAPPED');
    expect(policy.select('datatraveler', [candidate()])).toEqual([0]);
  });
});

describe('a guest that refuses', () => {
  it('keeps its instance', async () => {
    const policy = await loadDevicePolicy();
    expect(codeOf(() => policy.judge([], [rule({ id: 'x' })], WORKER))).toBe('BAD_POLICY');
    expect(policy.judge([device()], [], WORKER)).toHaveLength(1);
  });

  it('is told from other errors by its payload', () => {
    expect(refusal(Object.assign(new Error('no'), { payload: 'no' }))).toBe('no');
    expect(refusal(new Error('no'))).toBeUndefined();
    expect(refusal('no')).toBeUndefined();
  });
});

describe('opening a component', () => {
  interface Fake {
    answer(): number;
  }
  const write = (name: string, source: string) => {
    writeFileSync(join(folder, `${name}.js`), source);
    return openComponent<Fake>(name, pathToFileURL(`${folder}/`));
  };

  it('makes one instance for all calls, and a new one only after a trap', async () => {
    const component = await write(
      'counting',
      `let made = 0; export const instantiate = () => { const self = ++made; let calls = 0;
       return { answer() { if (++calls === 3) throw new Error('trap'); return self; } }; };`,
    );
    const call = () => component.call((guest) => guest.answer());
    expect([call(), call()]).toEqual([1, 1]);
    expect(codeOf(call)).toBe('POLICY_TRAPPED');
    expect([call(), call()]).toEqual([2, 2]);
  });

  it.each([
    ['that is not there', () => openComponent('absent', pathToFileURL(`${folder}/`))],
    ['in a folder that is not there', () => openComponent('absent', pathToFileURL(`${folder}/none/`))],
    [
      'that lacks a module',
      () => write('lacking', `export const instantiate = (get) => get('lacking.core9.wasm');`),
    ],
    [
      'with a damaged module',
      () => {
        writeFileSync(join(folder, 'damaged.core.wasm'), 'not WebAssembly');
        return write('damaged', 'export const instantiate = () => ({});');
      },
    ],
  ])('%s rejects with POLICY_TRAPPED', async (_, open) => {
    await expect(open()).rejects.toMatchObject({ code: 'POLICY_TRAPPED' });
  });

  it('works from a bundle that has the folder beside it', async () => {
    const outfile = join(folder, 'program.mjs');
    const source = `import { loadDevicePolicy } from './wasm/host/device-policy.ts';
      const policy = await loadDevicePolicy(new URL('./device-policy/', import.meta.url));
      console.log(policy.select('datatraveler', [${JSON.stringify(candidate())}]).join());`;
    await build({
      stdin: { contents: source, resolveDir: root.pathname, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile,
    });
    cpSync(new URL('wasm/gen/device-policy', root), join(folder, 'device-policy'), { recursive: true });
    expect(execFileSync(process.execPath, [outfile], { encoding: 'utf8' })).toBe('0\n');
  });
});
