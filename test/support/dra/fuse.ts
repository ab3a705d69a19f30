// Counts the effects of a test and makes one of them fail: once, or as if the process had died there.

export class Died extends Error {}

export class Fuse {
  readonly steps: string[] = [];
  readonly #at: number;
  readonly #dies: boolean;

  /** `at` counts from 0; -1 never blows. */
  constructor(at = -1, dies = false) {
    this.#at = at;
    this.#dies = dies;
  }

  get isDead(): boolean {
    return this.#dies && this.#at >= 0 && this.steps.length > this.#at;
  }

  /** Called before each effect. */
  step(name: string): void {
    const index = this.steps.push(name) - 1;
    if (this.#at < 0) return;
    if (index === this.#at || (this.#dies && index > this.#at)) throw new Died(`${name} (step ${index})`);
  }
}
