// What a long command is doing: on a terminal one line that is rewritten, elsewhere a line for each change of state.
import type { Screen } from '../run/host.ts';
import { safeText } from './safe-text.ts';
import { cutToWidth } from './text-width.ts';

/** Carriage return and "erase in line": all that a live line needs (ECMA-48). */
const REWRITE = '\r\u001b[2K';

export class Progress {
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #begin: number;
  #state: string | undefined;

  /** `now` in milliseconds; lines begin with the seconds since this call. */
  constructor(screen: Screen, now: () => number) {
    this.#screen = screen;
    this.#now = now;
    this.#begin = now();
  }

  /** What goes on now; the same text again only moves the seconds of a live line. */
  state(text: string): void {
    if (this.#screen.isTerminal) {
      // A line that wraps could not be rewritten.
      const line = cutToWidth(this.#line(text), this.#screen.columns - 1);
      this.#screen.write(REWRITE + line);
    } else if (text !== this.#state) this.#screen.write(`${this.#line(text)}\n`);
    this.#state = text;
  }

  /** Something is done: its line stays. */
  done(text: string): void {
    const told = text === this.#state && !this.#screen.isTerminal;
    this.clear();
    if (!told) this.#screen.write(`${this.#line(text)}\n`);
  }

  /** Takes the live line away, so that other text can follow. */
  clear(): void {
    if (this.#screen.isTerminal && this.#state !== undefined) this.#screen.write(REWRITE);
    this.#state = undefined;
  }

  #line(text: string): string {
    const seconds = Math.max(0, Math.floor((this.#now() - this.#begin) / 1000));
    return `${String(seconds).padStart(3)}s  ${safeText(text)}`;
  }
}
