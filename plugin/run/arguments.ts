// The flags and the argument of one call, by their names on the command line.

export class Arguments {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: Iterable<readonly [string, unknown]>) {
    this.#values = new Map(values);
  }

  /** Undefined when the flag was not given, or given as an empty text: kubectl makes no difference either. */
  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** In the order of the command line; empty when the flag was not given. */
  texts(name: string): string[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  }

  /** True only for a switch that was turned off with `=false`: of those that are on by themselves. */
  isOff(name: string): boolean {
    return this.#values.get(name) === false;
  }

  /** False also for a switch that was turned off with `=false`. */
  isOn(name: string): boolean {
    return this.#values.get(name) === true;
  }
}
