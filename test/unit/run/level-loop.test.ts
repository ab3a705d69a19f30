// The reconcile loop: gathers, never overlaps, retries, repeats, stops.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LevelLoop } from '../../../node/run/level-loop.ts';
import type { Log } from '../../../node/run/log.ts';

const warnings: string[] = [];
const log: Log = { debug() {}, info() {}, error() {}, warn: (_fields, message) => warnings.push(message) };

beforeEach(() => {
  warnings.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function counted(fail: () => boolean = () => false, extra = {}) {
  let runs = 0;
  const loop = new LevelLoop({
    name: 'slices',
    log,
    ...extra,
    work: async () => {
      runs++;
      if (fail()) throw new Error('no server');
    },
  });
  return { loop, runs: () => runs };
}

describe('LevelLoop', () => {
  it('does nothing before it is triggered', async () => {
    const { runs } = counted();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs()).toBe(0);
  });

  it('gathers many triggers into one run', async () => {
    const { loop, runs } = counted();
    for (let i = 0; i < 50; i++) loop.trigger();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs()).toBe(1);
  });

  it('runs again when triggered during a run, and never twice at a time', async () => {
    let active = 0;
    let most = 0;
    let runs = 0;
    const loop = new LevelLoop({
      name: 'x',
      log,
      work: async () => {
        most = Math.max(most, ++active);
        runs++;
        await new Promise((resolve) => setTimeout(resolve, 100));
        active--;
      },
    });
    loop.trigger();
    await vi.advanceTimersByTimeAsync(50);
    loop.trigger();
    loop.trigger();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([runs, most]).toEqual([2, 1]);
  });

  it('retries after a failure with growing delays and says what failed', async () => {
    let failing = true;
    const { loop, runs } = counted(() => failing, { retry: { first: 100, longest: 1_000 } });
    loop.trigger();
    await vi.advanceTimersByTimeAsync(25);
    expect([runs(), loop.problem]).toEqual([1, 'no server']);
    await vi.advanceTimersByTimeAsync(100);
    expect(runs()).toBe(2);
    await vi.advanceTimersByTimeAsync(100);
    expect(runs()).toBe(2);
    failing = false;
    await vi.advanceTimersByTimeAsync(100);
    expect([runs(), loop.problem]).toEqual([3, undefined]);
    expect(warnings).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs()).toBe(3);
  });

  it('runs again at once when triggered while it waits for a retry', async () => {
    const { loop, runs } = counted(() => true, { retry: { first: 10_000, longest: 10_000 } });
    loop.trigger();
    await vi.advanceTimersByTimeAsync(30);
    loop.trigger();
    await vi.advanceTimersByTimeAsync(30);
    expect(runs()).toBe(2);
  });

  it('repeats after its period', async () => {
    const { loop, runs } = counted(() => false, { period: 1_000 });
    loop.trigger();
    await vi.advanceTimersByTimeAsync(3_100);
    expect(runs()).toBe(4);
    await loop.stop();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(runs()).toBe(4);
  });

  it('aborts the run under way when stopped and logs nothing about it', async () => {
    const loop = new LevelLoop({
      name: 'x',
      log,
      work: (signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
    });
    loop.trigger();
    await vi.advanceTimersByTimeAsync(50);
    await loop.stop();
    loop.trigger();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(warnings).toEqual([]);
  });
});
