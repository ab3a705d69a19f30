// Waits for something that another program will make true.
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from './lab-error.ts';

export interface WaitOptions {
  /** Milliseconds to wait in all; default 30 000. */
  readonly timeout?: number;
  /** Milliseconds between two looks; default 100. */
  readonly interval?: number;
  /** Ends the wait early, with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Looks again and again until `probe` returns something truthy, and returns that. A probe that throws counts as "not
 * yet"; its last error is the cause of the LabError thrown at the end of the time.
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T> | T,
  options: WaitOptions = {},
): Promise<NonNullable<T>> {
  const { timeout = 30_000, interval = 100, signal } = options;
  const end = performance.now() + timeout;
  let cause: unknown;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const found = await probe();
      if (found) return found;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > end) break;
    await sleep(interval);
  }
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  throw new LabError(`waited ${timeout} ms in vain: ${what}${reason}`, undefined, { cause });
}
