// Housekeeping that waits for what is more urgent, but not for ever.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Foreground } from '../../../node/run/foreground.ts';
import { LevelLoop } from '../../../node/run/level-loop.ts';
import { keptLog } from '../../support/kept-log.ts';

const LONG = 60_000;

async function waited(foreground: Foreground, signal?: AbortSignal): Promise<number> {
  const begin = performance.now();
  await foreground.turn(signal);
  return performance.now() - begin;
}

describe('housekeeping', () => {
  it('has its turn at once when nothing is urgent', async () => {
    expect(await waited(new Foreground(LONG))).toBeLessThan(1_000);
  });

  it('waits until urgent work has ended, well or badly', async () => {
    const foreground = new Foreground(LONG);
    let done = 0;
    const work = [
      foreground.run(async () => {
        await sleep(30);
        done++;
      }),
      foreground.run(async () => {
        await sleep(10);
        done++;
        throw new Error('failed');
      }),
    ];
    work[1]?.catch(() => undefined);
    await foreground.turn();
    expect(done).toBe(2);
    await expect(work[1]).rejects.toThrow('failed');
  });

  it('waits a while longer when the kernel goes on with it', async () => {
    const foreground = new Foreground(LONG);
    await foreground.run(async () => undefined, 80);
    expect(await waited(foreground)).toBeGreaterThanOrEqual(75);
  });

  it('does not wait for what failed to go on', async () => {
    const foreground = new Foreground(LONG);
    await foreground.run(() => Promise.reject(new Error('failed')), LONG).catch(() => undefined);
    expect(await waited(foreground)).toBeLessThan(1_000);
  });

  it('has its turn after a while, however much goes on', async () => {
    const foreground = new Foreground(40);
    let end = () => {};
    const urgent = foreground.run(() => new Promise<void>((resolve) => (end = resolve)));
    expect(await waited(foreground)).toBeGreaterThanOrEqual(40);
    end();
    await urgent;
  });

  it('does not wait when it is stopped', async () => {
    const foreground = new Foreground(LONG);
    let end = () => {};
    const urgent = foreground.run(() => new Promise<void>((resolve) => (end = resolve)));
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 5);
    expect(await waited(foreground, abort.signal)).toBeLessThan(1_000);
    end();
    await urgent;
  });

  it('of a loop runs once for all that was asked while it waited', async () => {
    const foreground = new Foreground(LONG);
    let runs = 0;
    const loop = new LevelLoop({
      name: 'test',
      log: keptLog(),
      gather: 0,
      turn: (signal) => foreground.turn(signal),
      work: async () => void runs++,
    });
    await foreground.run(async () => {
      loop.trigger();
      await sleep(10);
      loop.trigger();
      await sleep(10);
      expect(runs).toBe(0);
    });
    await expect.poll(() => runs, { interval: 5, timeout: 5_000 }).toBe(1);
    await sleep(30);
    expect(runs).toBe(1);
    await loop.stop();
  });
});
