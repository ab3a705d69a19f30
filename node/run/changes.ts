// Tells a change from a repetition: for work that is triggered often and costs others something.
import { isDeepStrictEqual } from 'node:util';

export class Changes<T> {
  #last: T | undefined;

  /** Whether `value` is another than the last time; true the first time. */
  differs(value: T): boolean {
    if (isDeepStrictEqual(value, this.#last)) return false;
    this.#last = value;
    return true;
  }
}
