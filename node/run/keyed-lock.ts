// Runs the work of one key one after the other; different keys never wait for each other.

export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    await tail;
    if (this.#tails.get(key) === tail) this.#tails.delete(key);
    return result;
  }
}
