// A reconcile loop: `trigger` says that something may have changed; the work runs at once, never twice at a time, and
// again after a failure (with growing delay) and after a period (because others may edit what we wrote).
import type { Log } from './log.ts';

export interface LevelLoopOptions {
  /** Names the loop in the log. */
  readonly name: string;
  /** Makes the outside agree with the wanted state; idempotent. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  /** Awaited before each run: lets what is more urgent go first. */
  readonly turn?: (signal: AbortSignal) => Promise<void>;
  /** Milliseconds in which triggers are gathered before the work runs. */
  readonly gather?: number;
  /** Milliseconds after a success at which the work runs again anyway; 0 for never. */
  readonly period?: number;
  /** First and longest delay after a failure, in milliseconds. */
  readonly retry?: { readonly first: number; readonly longest: number };
}

export class LevelLoop {
  readonly #options: Required<LevelLoopOptions>;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #again = false;
  #failures = 0;
  #problem: string | undefined;

  constructor(options: LevelLoopOptions) {
    this.#options = {
      turn: async () => undefined,
      gather: 20,
      period: 0,
      retry: { first: 200, longest: 30_000 },
      ...options,
    };
  }

  /** What the last run failed with; undefined after a success. */
  get problem(): string | undefined {
    return this.#problem;
  }

  trigger(): void {
    if (this.#running) this.#again = true;
    else this.#schedule(this.#options.gather);
  }

  /** Ends the loop; a run under way is aborted and awaited. */
  async stop(): Promise<void> {
    this.#abort.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Runs in `delay` ms unless it is due sooner already. */
  #schedule(delay: number): void {
    const due = performance.now() + delay;
    if (this.#abort.signal.aborted || due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#next();
      });
    }, delay);
  }

  async #run(): Promise<void> {
    try {
      await this.#options.turn(this.#abort.signal);
      this.#again = false;
      await this.#options.work(this.#abort.signal);
      this.#failures = 0;
      this.#problem = undefined;
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#failures++;
      this.#problem = error instanceof Error ? error.message : String(error);
      const { name, log } = this.#options;
      log.warn({ loop: name, failures: this.#failures, err: error }, `${name} failed: ${this.#problem}`);
    }
  }

  #next(): void {
    const { retry, gather, period } = this.#options;
    if (this.#failures > 0) {
      this.#schedule(Math.min(retry.longest, retry.first * 2 ** (this.#failures - 1)));
    } else if (this.#again) this.#schedule(gather);
    else if (period > 0) this.#schedule(period);
  }
}
