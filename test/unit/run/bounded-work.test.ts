// Work on many items, a few at a time.
import { describe, expect, it } from 'vitest';
import { forEachAtMost } from '../../../node/run/bounded-work.ts';

const numbers = Array.from({ length: 20 }, (_, index) => index);
const pause = () => new Promise((resolve) => setImmediate(resolve));

describe('forEachAtMost', () => {
  it('works on every item once, in order of beginning', async () => {
    const begun: number[] = [];
    await forEachAtMost(4, numbers, async (item) => {
      begun.push(item);
      await pause();
    });
    expect(begun).toEqual(numbers);
  });

  it('never works on more than the limit', async () => {
    let now = 0;
    let most = 0;
    await forEachAtMost(4, numbers, async () => {
      most = Math.max(most, ++now);
      await pause();
      now--;
    });
    expect(most).toBe(4);
  });

  it('ends with nothing to do, and with fewer items than workers', async () => {
    await forEachAtMost(4, [], () => Promise.reject(new Error('never')));
    const done: number[] = [];
    await forEachAtMost(4, [1], async (item) => {
      done.push(item);
    });
    expect(done).toEqual([1]);
  });

  it('rejects only when nothing is under way any more', async () => {
    let under = 0;
    const work = async (item: number) => {
      under++;
      if (item === 0) throw new Error('zero');
      await pause();
      await pause();
      under--;
    };
    await expect(forEachAtMost(3, numbers, work)).rejects.toThrow('zero');
    expect(under).toBe(1);
  });

  it('begins nothing more after a rejection', async () => {
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      await pause();
      if (item === 1) throw new Error('one');
    };
    await expect(forEachAtMost(2, numbers, work)).rejects.toThrow('one');
    await pause();
    await pause();
    expect(begun.length).toBeLessThanOrEqual(4);
  });
});
