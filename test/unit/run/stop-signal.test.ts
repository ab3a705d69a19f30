// Being told to stop.
import { describe, expect, it } from 'vitest';
import { withStopSignal } from '../../../node/run/stop-signal.ts';

const listeners = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');

describe('a program that waits for its end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('hears %s from the beginning of its work', async (signal) => {
    const heard = await withStopSignal(async (stopped) => {
      process.emit(signal, signal);
      return stopped;
    });
    expect(heard).toBe(signal);
  });

  it('leaves no listener behind, also when its work fails', async () => {
    const before = listeners();
    await withStopSignal(async () => undefined);
    await expect(withStopSignal(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(listeners()).toBe(before);
  });
});
