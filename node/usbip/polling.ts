// Waits for the kernel where it sends no event for what we wait for.
import { setTimeout as sleep } from 'node:timers/promises';
import { TypedError } from '../../proto/api/typed-error.ts';

export interface PollLimits {
  /** Milliseconds between two looks, and for all of them. */
  readonly interval: number;
  readonly timeout: number;
}

/** The first defined answer of `look`; undefined when the time is over. TIMED_OUT when `signal` is aborted. */
export async function pollUntil<T>(
  look: () => T | undefined,
  { interval, timeout }: PollLimits,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const end = performance.now() + timeout;
  for (;;) {
    throwIfAborted(signal);
    const answer = look();
    if (answer !== undefined || performance.now() >= end) return answer;
    // The abort is reported by the next round, in our words.
    await sleep(interval, undefined, signal && { signal }).catch(() => undefined);
  }
}

/** TIMED_OUT when the caller has given up. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new TypedError('TIMED_OUT', 'the caller gave up waiting', undefined, { cause: signal.reason });
}
