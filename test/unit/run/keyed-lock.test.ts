// One piece of work at a time for each key.
import { describe, expect, it } from 'vitest';
import { KeyedLock } from '../../../node/run/keyed-lock.ts';

describe('the lock of a key', () => {
  it('runs work of one key in order, also after a failure', async () => {
    const lock = new KeyedLock();
    const order: number[] = [];
    const work = [1, 2, 3].map((n) =>
      lock.run('k', async () => {
        await new Promise((resolve) => setTimeout(resolve, 6 - 2 * n));
        order.push(n);
        if (n === 1) throw new Error('one');
      }),
    );
    await Promise.allSettled(work);
    expect(order).toEqual([1, 2, 3]);
    await expect(work[0]).rejects.toThrow('one');
  });

  it('lets other keys pass', async () => {
    const lock = new KeyedLock();
    let free = () => {};
    const held = lock.run('a', () => new Promise<void>((resolve) => (free = resolve)));
    expect(await lock.run('b', async () => 'through')).toBe('through');
    free();
    await held;
  });

  it('keeps out what its own work asks for, until that work has ended', async () => {
    const lock = new KeyedLock();
    const order: string[] = [];
    let inner = Promise.resolve();
    await lock.run('k', async () => {
      inner = lock.run('k', async () => void order.push('inner'));
      await new Promise((resolve) => setTimeout(resolve, 2));
      order.push('outer');
    });
    await inner;
    expect(order).toEqual(['outer', 'inner']);
  });
});
