// A place in the text of a template. Parts of it (a member of a union, a side of a filter) are read by cursors of
// their own, which still tell places in the whole.

export class Cursor {
  readonly text: string;
  /** Where `text` begins in the whole template. */
  readonly #begin: number;
  /** Index of the next character. */
  index = 0;

  constructor(text: string, begin = 0) {
    this.text = text;
    this.#begin = begin;
  }

  /** In the whole template. */
  get at(): number {
    return this.#begin + this.index;
  }

  /** Empty at the end. */
  get next(): string {
    return this.text.charAt(this.index);
  }

  take(): string {
    return this.text.charAt(this.index++);
  }

  skip(word: string): boolean {
    if (!this.text.startsWith(word, this.index)) return false;
    this.index += word.length;
    return true;
  }

  /** What a sticky pattern matches here; empty when it does not. */
  match(pattern: RegExp): string {
    pattern.lastIndex = this.index;
    const [found = ''] = pattern.exec(this.text) ?? [];
    this.index += found.length;
    return found;
  }
}
