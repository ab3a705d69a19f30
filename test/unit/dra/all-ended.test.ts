// Work side by side: nothing of it may be under way any more when it is undone.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { allEnded } from '../../../node/dra/all-ended.ts';

describe('work done side by side', () => {
  it('has all ended when it fails, with the first error of the list', async () => {
    let ended = false;
    const slow = sleep(10).then(() => {
      ended = true;
      throw new Error('slow');
    });
    await expect(allEnded([slow, Promise.reject(new Error('fast')), Promise.resolve()])).rejects.toThrow(
      'slow',
    );
    expect(ended).toBe(true);
  });

  it('resolves when all of it has', async () => {
    let ended = 0;
    const one = async (ms: number) => {
      await sleep(ms);
      ended++;
    };
    await allEnded([one(5), one(1)]);
    expect(ended).toBe(2);
  });
});
