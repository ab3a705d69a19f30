// The file lock between processes of a node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from '../../../node/sys/file-lock.ts';
import { errorCode } from '../../support/error-code.ts';

/** Takes the lock at its first argument and keeps it until its standard input ends with the test. */
const HOLDER = `
  import { withFileLock } from ${JSON.stringify(new URL('../../../node/sys/file-lock.ts', import.meta.url).href)};
  await withFileLock(process.argv[1], 1000, async () => {
    console.log('held');
    for await (const _ of process.stdin);
  });`;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a file lock', () => {
  it('makes the file and returns what the work returns', async () => {
    expect(await withFileLock(path, 100, async () => 'done')).toBe('done');
  });

  it('lets two works of one process run one after the other', async () => {
    const order: string[] = [];
    const work = (name: string) =>
      withFileLock(path, 2000, async () => {
        order.push(`${name} begins`);
        await sleep(20);
        order.push(`${name} ends`);
      });
    await Promise.all([work('a'), work('a')]);
    expect(order).toEqual(['a begins', 'a ends', 'a begins', 'a ends']);
  });

  it('is given up after the time limit, and the work does not run', async () => {
    let ran = false;
    await withFileLock(path, 100, async () => {
      const began = performance.now();
      const code = await errorCode(() =>
        withFileLock(path, 60, async () => {
          ran = true;
        }),
      );
      expect(code).toBe('TIMED_OUT');
      expect(performance.now() - began).toBeGreaterThanOrEqual(55);
    });
    expect(ran).toBe(false);
  });

  it('is free again after work that failed', async () => {
    await expect(withFileLock(path, 100, () => Promise.reject(new Error('work failed')))).rejects.toThrow(
      'work failed',
    );
    expect(await withFileLock(path, 100, async () => 1)).toBe(1);
  });

  it('says which file it could not open', async () => {
    expect(await errorCode(() => withFileLock(join(folder, 'missing', 'lock'), 10, async () => 1))).toBe(
      'KERNEL',
    );
  });

  it('excludes another process until that one dies', async () => {
    const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, path], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const ended = once(holder, 'exit');
    try {
      await once(holder.stdout, 'data');
      expect(await errorCode(() => withFileLock(path, 20, async () => 1))).toBe('TIMED_OUT');
    } finally {
      holder.kill('SIGKILL');
    }
    await ended;
    expect(await withFileLock(path, 1000, async () => 2)).toBe(2);
  }, 60_000);
});
