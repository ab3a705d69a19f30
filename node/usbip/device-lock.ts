// One change at a time for each device of this node, in the order of asking.

export class DeviceLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `change` when all earlier ones of this bus id have ended, well or badly. */
  async run<T>(busId: string, change: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(busId);
    const running = before ? before.then(change, change) : change();
    this.#tails.set(busId, running);
    try {
      return await running;
    } finally {
      if (this.#tails.get(busId) === running) this.#tails.delete(busId);
    }
  }
}
