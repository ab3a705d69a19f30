// Completion as a person meets it: the Tab key in a bash with our script, and in one with nothing but kubectl's own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MemoryApi } from '../../proto/kube/memory/memory-api.ts';
import { startLabApi } from '../unit/plugin/lab-api.ts';
import { DISK } from '../unit/plugin/lab-facts.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'completion-'));
const env = {
  PATH: [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
  HOME: folder,
  TERM: 'dumb',
  PS1: 'ready> ',
};
let api: MemoryApi;

beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'plugin/build.ts'), folder], { stdio: 'pipe' });
  const script = execFileSync(join(folder, 'kubectl-virt'), ['completion', 'bash'], { env });
  writeFileSync(join(folder, 'script'), script);
  api = await startLabApi();
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** What stands on the screen when `wanted` is there after the Tab key. */
async function afterTab(line: string, wanted: string): Promise<void> {
  const shell = spawn('bash', ['--norc', '--noprofile', '-i'], { cols: 200, rows: 30, env });
  let screen = '';
  shell.onData((data) => {
    screen += data;
  });
  const seen = (text: string) =>
    vi
      .waitUntil(() => screen.includes(text), { timeout: 8000, interval: 10 })
      .catch(() => {
        throw new Error(`${JSON.stringify(text)} does not come: ${JSON.stringify(screen)}`);
      });
  try {
    await seen('ready> ');
    shell.write(`source ${folder}/script; PS1='loaded> '\n`);
    await seen('\nloaded> ');
    screen = '';
    shell.write(`${line}\t`);
    // On a machine that is busy an answer may be late; a person presses the key again, too.
    const again = setInterval(() => shell.write('\t'), 700);
    await seen(wanted).finally(() => clearInterval(again));
  } finally {
    shell.kill();
  }
}

describe('the Tab key', () => {
  it('completes a command', async () => {
    await afterTab('kubectl-virt usb sh', 'kubectl-virt usb show ');
  });

  it('completes a value behind =', async () => {
    await afterTab('kubectl-virt usb list --output=y', '--output=yaml ');
  });

  it('completes the name of a device of the cluster', async () => {
    await afterTab(`kubectl-virt usb show -s ${api.url} usb-a1`, `${DISK.slice('usb-a1'.length)} `);
  });
});

describe('__complete', () => {
  it('is done in time when the server does not answer', async () => {
    api.faults.once({ delay: 5000 });
    const begin = performance.now();
    const out = execFileSync(join(folder, 'kubectl-virt'), ['__complete', 'usb', 'show', '-s', api.url, ''], {
      env,
      encoding: 'utf8',
    });
    expect(out).toBe(':4\n');
    // The start of a process on a busy machine comes on top of the 120 ms.
    expect(performance.now() - begin).toBeLessThan(2000);
  });
});
