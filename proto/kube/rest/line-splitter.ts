// Cuts a byte stream into lines: a watch is one JSON object a line, and chunks end anywhere, even inside a character.
import { TypedError } from '../../api/typed-error.ts';

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #held = 0;

  /** `limit`: the most bytes of one line, so that a server gone mad cannot fill the memory. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of a line that has not ended yet. */
  get held(): number {
    return this.#held;
  }

  /** The lines that `chunk` completes, without their newline, decoded as UTF-8. Throws PROTOCOL over the limit. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      this.#hold(chunk.subarray(begin, end));
      lines.push(Buffer.concat(this.#parts, this.#held).toString('utf8'));
      this.#parts = [];
      this.#held = 0;
      begin = end + 1;
    }
    if (begin < chunk.length) this.#hold(chunk.subarray(begin));
    return lines;
  }

  #hold(part: Uint8Array): void {
    this.#held += part.length;
    if (this.#held > this.#limit) {
      throw new TypedError('PROTOCOL', `the server sent a line of more than ${this.#limit} bytes`);
    }
    this.#parts.push(part);
  }
}
