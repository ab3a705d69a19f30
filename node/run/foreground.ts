// Keeps housekeeping off the processor while a pod waits for its device: a small node has no other for it.
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks whether the foreground is free. */
const LOOK = 20;

export class Foreground {
  readonly #longest: number;
  #active = 0;
  #until = Number.NEGATIVE_INFINITY;

  /** Housekeeping waits at most `longest` milliseconds each time, however much goes on. */
  constructor(longest = 500) {
    this.#longest = longest;
  }

  /** Runs what a pod waits for; `after` are the milliseconds in which the kernel, or another node, goes on with it. */
  async run<T>(work: () => Promise<T>, after = 0): Promise<T> {
    this.#active++;
    try {
      const result = await work();
      this.#until = Math.max(this.#until, performance.now() + after);
      return result;
    } finally {
      this.#active--;
    }
  }

  /** Resolves when it is the turn of housekeeping, or when `signal` aborts. */
  async turn(signal?: AbortSignal): Promise<void> {
    const end = performance.now() + this.#longest;
    while (this.#isBusy(end) && !signal?.aborted) await sleep(LOOK);
  }

  #isBusy(end: number): boolean {
    const now = performance.now();
    return now < end && (this.#active > 0 || now < this.#until);
  }
}
