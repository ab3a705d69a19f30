// Who owns a lab, and what a crash may leave of its record.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isLeftOver, removeLab } from '../../lab/leftovers.ts';
import { identify, isRunning, startOf } from '../../lab/process-identity.ts';
import { parseStarted, RunRecord, type Started } from '../../lab/run-record.ts';

const owner: Started = { kind: 'owner', pid: 5, start: '77' };

describe('a process', () => {
  it('is told apart by its start time, whatever its name holds', () => {
    const fields = Array.from({ length: 40 }, (_, i) => `${i + 3}`);
    expect(startOf(`12 (a) b (c)) S ${fields.slice(1).join(' ')}`)).toBe('22');
  });

  it('has ended when it is a zombie or gone', () => {
    expect(startOf('12 (x) Z 1 2')).toBeUndefined();
    expect(identify(2 ** 22 + 1)).toBeUndefined();
  });

  it('is not running when its number belongs to a later one', () => {
    const self = identify(process.pid);
    expect(self && isRunning(self)).toBe(true);
    expect(isRunning({ pid: process.pid, start: '1' })).toBe(false);
  });
});

describe('a lab', () => {
  it('is left over when its owner is gone', () => {
    expect(isLeftOver([owner], () => false)).toBe(true);
    expect(isLeftOver([owner], () => true)).toBe(false);
  });

  it('is left over when nobody ever owned it', () => {
    expect(isLeftOver([], () => true)).toBe(true);
  });

  it('ends the processes that it noted, with their children, and its folder', async () => {
    const record = RunRecord.create();
    expect(isLeftOver(record.started())).toBe(false);
    const child = spawn('sh', ['-c', 'sleep 321 & wait'], { detached: true, stdio: 'ignore' });
    const ended = once(child, 'exit');
    record.noteGroup(child.pid, 'sleeper');
    await removeLab(record);
    expect((await ended)[1]).toBe('SIGKILL');
    expect(existsSync(record.folder)).toBe(false);
    await removeLab(record);
  });
});

describe('a record', () => {
  it('is read line by line, and a torn last line is left out', () => {
    const namespace: Started = { kind: 'namespace', name: 'n' };
    const text = `${JSON.stringify(owner)}\n${JSON.stringify(namespace)}\n{"kind":"li`;
    expect(parseStarted(text)).toEqual([owner, namespace]);
  });

  it('is empty before anything was started', () => {
    expect(parseStarted('')).toEqual([]);
  });
});
