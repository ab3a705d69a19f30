// The bundle as a person and a pipe meet it: a real process, a real terminal, a real server.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MemoryApi } from '../../proto/kube/memory/memory-api.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import { put, startLabApi } from '../unit/plugin/lab-api.ts';
import { claimOf, TWIN } from '../unit/plugin/lab-facts.ts';

const ESCAPE = '\u001b[';
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'kubectl-virt-'));
const program = join(folder, 'kubectl-virt');
/** `env node` of the launcher must find the Node that runs the tests. */
const PATH = [dirname(process.execPath), folder, process.env.PATH].join(delimiter);
let api: MemoryApi;

beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'plugin/build.ts'), folder], { stdio: 'pipe' });
  api = await startLabApi();
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

function environment(more: Record<string, string> = {}): Record<string, string> {
  return { PATH, HOME: folder, TERM: 'xterm-256color', ...more };
}

interface Terminal {
  readonly screen: () => string;
  readonly type: (keys: string) => void;
  readonly ended: Promise<number>;
}

function onTerminal(args: string[], columns = 120, more: Record<string, string> = {}): Terminal {
  const terminal = spawnTerminal(program, args, { cols: columns, rows: 40, env: environment(more) });
  let text = '';
  terminal.onData((data) => {
    text += data;
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return { screen: () => text, type: (keys) => terminal.write(keys), ended };
}

async function inPipe(args: string[], more: Record<string, string> = {}) {
  const child = spawn(program, args, { env: environment(more), stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

function seen(text: () => string, wanted: RegExp | string): Promise<unknown> {
  return vi.waitUntil(() => (typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text())), {
    timeout: 10_000,
    interval: 5,
  });
}

/** A watch in a pipe, once its table is there. */
async function watchInPipe(): Promise<ChildProcess> {
  const child = spawn(program, ['usb', 'list', '-w', '-s', api.url], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe('an older Node', () => {
  it('is told to be too old, with the way out', () => {
    const older = "data:text/javascript,Object.defineProperty(process, 'version', { value: 'v20.20.2' })";
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', older, program, 'version', '--client'],
      {
        encoding: 'utf8',
      },
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: Node v20\.20\.2 is too old .*\nhint: .*22\.19/);
  });
});

describe('on a terminal', () => {
  it('colours states, shortens names and cuts products to the width', async () => {
    const { screen, ended } = onTerminal(['usb', 'list', '-s', api.url]);
    expect(await ended).toBe(0);
    expect(screen()).toContain(`${ESCAPE}32mAvailable${ESCAPE}0m`);
    expect(screen()).toMatch(/^usb-[0-9a-f]{7} /m);
    expect(screen()).toContain('…');
  });

  it('never lets a device write escapes to it', async () => {
    const { screen, ended } = onTerminal(['usb', 'show', '04b8:0005', '-s', api.url]);
    expect(await ended).toBe(0);
    expect(screen()).toContain('\\x1b[2J\\u{202e}XP');
    expect(screen()).not.toContain(`${ESCAPE}2J`);
  });

  it('leaves colours away with NO_COLOR and for a dumb terminal', async () => {
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const { screen, ended } = onTerminal(['usb', 'list', '-s', api.url], 120, env);
      expect(await ended).toBe(0);
      expect(screen()).not.toContain(ESCAPE);
    }
  });

  it('ends with 130 on Ctrl-C', async () => {
    const { screen, type, ended } = onTerminal(['usb', 'list', '-w', '-s', api.url]);
    await seen(screen, 'Unreachable');
    type('\u0003');
    expect(await ended).toBe(130);
  });

  it('colours errors', async () => {
    const { screen, ended } = onTerminal(['usb', 'lst']);
    expect(await ended).toBe(2);
    expect(screen()).toContain(`${ESCAPE}31merror:${ESCAPE}0m unknown command "lst"`);
  });
});

describe('in a pipe', () => {
  it('prints plain text in full', async () => {
    const { code, out, err } = await inPipe(['usb', 'list', '-s', api.url]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('HD Pro Webcam C920 with a name that is long');
    expect(out).toMatch(/^usb-[0-9a-f]{40} /m);
    expect(out).not.toContain('\u001b');
  });

  it('colours with FORCE_COLOR', async () => {
    const { out } = await inPipe(['usb', 'list', '-s', api.url], { FORCE_COLOR: '1' });
    expect(out).toContain(`${ESCAPE}32mAvailable`);
  });

  it('finds a device through the policy beside the bundle', async () => {
    const { code, out } = await inPipe(['usb', 'show', 'datatraveler', '-oname', '-s', api.url]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^usb-a1f3/)]);
  });

  it('keeps errors on stderr, with their exit code', async () => {
    const { code, out, err } = await inPipe(['usb', 'show', 'ffff:ffff', '-s', api.url]);
    expect([code, out]).toEqual([3, '']);
    expect(err).toMatch(/^error: .* \(DEVICE_NOT_FOUND\)\nhint: /);
  });

  it('ends quietly and well when the reader leaves', async () => {
    const child = await watchInPipe();
    let err = '';
    child.stderr?.on('data', (data) => {
      err += data;
    });
    const ended = once(child, 'exit');
    child.stdout?.destroy();
    await vi.waitUntil(() => api.faults.openWatches >= 3, { timeout: 10_000 });
    put(api, RESOURCE_TYPES.resourceClaims, claimOf('second', 'worker-2', TWIN));
    const [code] = await ended;
    expect([code, err]).toEqual([0, '']);
  });

  it('ends with 143 when it is told to', async () => {
    const child = await watchInPipe();
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
  });
});

describe('the launcher', () => {
  it('keeps its code cache in the folder of the person', async () => {
    expect((await inPipe(['version', '--client'])).code).toBe(0);
    expect(existsSync(join(folder, '.kube/cache/virt'))).toBe(true);
  });

  it.each(['/proc/nowhere', '/dev/null', ''])('runs with %j for a home folder', async (HOME) => {
    const { code, out, err } = await inPipe(['version', '--client'], { HOME });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Client Version: v\d/);
  });

  it('runs through a link, as krew installs it', async () => {
    const link = join(folder, 'linked');
    execFileSync('ln', ['-s', program, link]);
    const out = execFileSync(link, ['version', '--client'], { env: environment(), encoding: 'utf8' });
    expect(out).toMatch(/^Client Version: v\d/);
  });
});
