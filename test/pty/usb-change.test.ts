// Questions, live lines and Ctrl-C of the changing verbs on a real terminal and without one.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { UsbFacts } from '../../plugin/usb/facts.ts';
import { type BenchOptions, ChangeBench } from '../unit/plugin/change/change-bench.ts';
import { assignedFacts, STICK, stickFacts, vmOf } from '../unit/plugin/change/change-objects.ts';
import { nodeOf } from '../unit/plugin/lab-facts.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'kubectl-virt-change-'));
const program = join(folder, 'kubectl-virt');
const env = {
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  HOME: folder,
  TERM: 'xterm-256color',
};
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
let bench: ChangeBench | undefined;

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'plugin/build.ts'), folder], { stdio: 'pipe' });
});
afterEach(async () => {
  await bench?.api.close();
  bench = undefined;
});
afterAll(() => rmSync(folder, { recursive: true }));

const web = vmOf('web', { list: [] });

/** The program judges reports by the clock of this machine. */
function ofNow(facts: UsbFacts): UsbFacts {
  const heartbeat = new Date().toISOString();
  const statuses = facts.statuses.map((one) =>
    one.status ? { ...one, status: { ...one.status, heartbeat } } : one,
  );
  return { ...facts, statuses, nodes: [nodeOf('worker-1')] };
}

async function serve(facts: UsbFacts, options: BenchOptions = {}): Promise<ChangeBench> {
  bench = await ChangeBench.start(ofNow(facts), options);
  return bench;
}

/** The program below a shell, which looks at the terminal when the program has ended. */
function inShell(line: string) {
  const script = `${program} ${line} -s ${bench?.api.url}; echo "exit $?"; stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|isig)'`;
  const terminal = spawnTerminal('/bin/sh', ['-c', `trap : INT; ${script}`], { cols: 100, rows: 30, env });
  let text = '';
  terminal.onData((data) => {
    text += data;
  });
  const ended = new Promise<string>((resolve) => terminal.onExit(() => resolve(text)));
  return {
    type: (keys: string) => terminal.write(keys),
    seen: (wanted: string) => vi.waitUntil(() => text.includes(wanted), { timeout: 10_000, interval: 5 }),
    ended,
  };
}

/** Lines are read whole, typed keys are shown, Ctrl-C is a signal: what a shell expects. */
function isSane(text: string): boolean {
  return ['icanon', 'echo', 'isig'].every((mode) => new RegExp(`^${mode}\\r?$`, 'm').test(text));
}

describe('Ctrl-C while waiting', () => {
  it('ends with 130, tells what stays, and leaves a sane terminal', async () => {
    const { api } = await serve(assignedFacts('lab', { vms: [web] }), { actor: { attaches: false } });
    const shell = inShell('usb attach stick web.lab');
    await shell.seen('has not taken it up');
    shell.type(CTRL_C);
    const text = await shell.ended;
    expect(text).toContain('exit 130');
    expect(text).toMatch(/note: done and kept: add .*usb detach/s);
    expect(text).toContain('(INTERRUPTED)');
    expect(isSane(text)).toBe(true);
    expect(api.faults.openWatches).toBe(0);
  });

  it('ends at once the second time, whatever the program is waiting for', async () => {
    const { api } = await serve(assignedFacts('lab', { vms: [web] }));
    api.faults.once({ delay: 20_000 }, (_method, path) => path.includes('virtualmachines'));
    const child = spawn(program, ['usb', 'attach', 'stick', 'web.lab', '-s', api.url], {
      env,
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await new Promise((resolve) => setTimeout(resolve, 500));
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begin = performance.now();
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(performance.now() - begin).toBeLessThan(500);
  });
});

describe('SIGTERM', () => {
  it('gives the program its last words, then ends it with 143', async () => {
    const { api } = await serve(assignedFacts('lab', { vms: [web] }), { actor: { attaches: false } });
    const child = spawn(program, ['usb', 'attach', 'stick', 'web.lab', '-s', api.url], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    await vi.waitUntil(() => err.includes('has not taken it up'), { timeout: 10_000 });
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([143, null]);
    expect(err).toContain('note: done and kept');
  });
});

describe('a question on a terminal', () => {
  it.each([
    ['y\r', 'exit 0', 'lab'],
    ['n\r', 'exit 1', ''],
    ['\r', 'exit 1', ''],
    [CTRL_D, 'exit 1', ''],
    [CTRL_C, 'exit 130', ''],
  ])('answered with %j ends with %s', async (keys, exit, owner) => {
    const { stick } = await serve(stickFacts({ vms: [web] })).then((one) => ({ stick: () => one.stick() }));
    const shell = inShell('usb attach stick web.lab');
    await shell.seen('[y/N] ');
    shell.type(keys);
    const text = await shell.ended;
    expect(text).toContain(exit);
    expect([stick().spec.assignedNamespace, isSane(text)]).toEqual([owner, true]);
  });
});

describe('without a terminal', () => {
  it('nothing is asked, and nothing is changed', async () => {
    const one = await serve(stickFacts({ vms: [web] }));
    const child = spawn(program, ['usb', 'attach', 'stick', 'web.lab', '-s', one.api.url], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end('y\n');
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    expect(await once(child, 'close')).toEqual([2, null]);
    expect([err.includes('[y/N]'), err.includes('--assign'), one.stick().spec.assignedNamespace]).toEqual([
      false,
      true,
      '',
    ]);
  });

  it('a line for each state goes to stderr, without escapes', async () => {
    const one = await serve(stickFacts({ vms: [web] }));
    const child = spawn(
      program,
      ['usb', 'attach', 'stick', 'web.lab', '--assign', '-oname', '-s', one.api.url],
      {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(out).toBe('virtualmachine.virtualization.deckhouse.io/web\n');
    expect(err).toMatch(/^ +\d+s {2}attached to vm\/web$/m);
    expect([err.includes('\u001b'), err.includes(STICK)]).toEqual([false, true]);
  });
});
