// Waiting: until it is true, not longer than allowed, and with the reason when in vain.
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../lab/wait.ts';

const fast = { timeout: 50, interval: 1 };

describe('waiting', () => {
  it('returns what the probe found', async () => {
    let looks = 0;
    expect(await waitFor('three', () => (++looks === 3 ? 'found' : ''), fast)).toBe('found');
    expect(looks).toBe(3);
  });

  it('takes an error of the probe as "not yet"', async () => {
    let looks = 0;
    const probe = () => {
      if (++looks < 3) throw new Error('too early');
      return true;
    };
    expect(await waitFor('it works', probe, fast)).toBe(true);
  });

  it('says what it waited for, and the last error', async () => {
    const probe = () => {
      throw new Error('refused');
    };
    await expect(waitFor('the server answers', probe, fast)).rejects.toThrow(
      /50 ms.*the server answers.*refused/,
    );
  });

  it('ends early for the reason of its signal', async () => {
    const signal = AbortSignal.abort(new Error('the server died'));
    await expect(waitFor('it', () => false, { ...fast, signal })).rejects.toThrow('the server died');
  });
});
