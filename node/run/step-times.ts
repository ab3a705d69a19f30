// How long the steps of one call took: for its log line, and for whoever asks what was slow.
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<StepTimes>();

/** Steps know nothing of the call that they belong to: it is found through the asynchronous context. */
export class StepTimes {
  readonly #milliseconds = new Map<string, number>();

  /** Runs `work`, and adds the time it took, well or badly, to the call that it is part of, if there is one. */
  static async time<T>(step: string, work: () => T | Promise<T>): Promise<T> {
    const call = current.getStore();
    const begin = performance.now();
    try {
      return await work();
    } finally {
      if (call) call.#add(step, performance.now() - begin);
    }
  }

  /** Runs a call; its steps are added up here by name. */
  collect<T>(call: () => T): T {
    return current.run(this, call);
  }

  /** Whole milliseconds by step, in the order in which they first ended. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.#milliseconds].map(([step, ms]) => [step, Math.round(ms)]));
  }

  #add(step: string, milliseconds: number): void {
    this.#milliseconds.set(step, (this.#milliseconds.get(step) ?? 0) + milliseconds);
  }
}
