// Waits for what the kernel does, by looking again and again.
import { setTimeout as sleep } from 'node:timers/promises';
import { TypedError } from '../../proto/api/typed-error.ts';

/** Resolves after `ms` milliseconds, when something tells that a look may be worth it, or when `signal` aborts. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

export interface PollLimits {
  /** Milliseconds between two looks, and for all of them. */
  readonly interval: number;
  readonly timeout: number;
  /** A plain sleep when absent. */
  readonly pause?: Pause;
}

/** The first defined answer of `look`; undefined when the time is over. TIMED_OUT when `signal` is aborted. */
export async function pollUntil<T>(
  look: () => T | undefined,
  { interval, timeout, pause = plainPause }: PollLimits,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const end = performance.now() + timeout;
  for (;;) {
    throwIfAborted(signal);
    const answer = look();
    if (answer !== undefined || performance.now() >= end) return answer;
    await pause(interval, signal);
  }
}

async function plainPause(ms: number, signal?: AbortSignal): Promise<void> {
  // The abort is reported by the next look, in our words.
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
}

/** TIMED_OUT when the caller has given up. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new TypedError('TIMED_OUT', 'the caller gave up waiting', undefined, { cause: signal.reason });
}
