// Which groups of steps may be done now: not those that failed a moment ago, nor those whose last writes the caches do
// not show yet, because their plan is made from what was before.
import type { KubeObject } from '../../proto/kube/client.ts';
import { backoffDelay } from '../../proto/kube/watch/backoff.ts';
import { isSeen, type Written } from './written.ts';

/** Milliseconds. The first is for conflicts, which another look cures. */
const BACKOFF = { first: 100, longest: 60_000 };

/** Milliseconds after which a write is no longer waited for: it may have been undone before it was seen. */
const UNSEEN = 5_000;

/** A group that still has steps after so many times is not cured by more: perhaps the API server drops what we write. */
const ROUNDS = 5;

interface Wait {
  readonly failures: number;
  /** How often in a row it was done. */
  readonly rounds: number;
  /** Milliseconds on the caller's clock. */
  readonly until: number;
  /** When all of these are seen, the wait is over. */
  readonly unseen: readonly Written[];
}

export class StepGate {
  readonly #seen: (written: Written) => KubeObject | undefined;
  readonly #random: () => number;
  readonly #waits = new Map<string, Wait>();

  /** `seen` asks the caches for an object. */
  constructor(seen: (written: Written) => KubeObject | undefined, random: () => number = Math.random) {
    this.#seen = seen;
    this.#random = random;
  }

  /** Groups whose last attempt failed. */
  get failing(): number {
    return [...this.#waits.values()].filter(({ failures }) => failures > 0).length;
  }

  /** When the next wait ends; infinite when there is none. */
  get next(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#waits.values()].map(({ until }) => until));
  }

  isOpen(group: string, now: number): boolean {
    const wait = this.#waits.get(group);
    if (!wait || now >= wait.until) return true;
    return (
      wait.failures === 0 &&
      wait.rounds <= ROUNDS &&
      wait.unseen.every((written) => isSeen(written, this.#seen(written)))
    );
  }

  done(group: string, written: readonly Written[], now: number): void {
    const rounds = (this.#waits.get(group)?.rounds ?? 0) + 1;
    const delay = rounds > ROUNDS ? backoffDelay(rounds, this.#random(), BACKOFF) : UNSEEN;
    this.#waits.set(group, { failures: 0, rounds, until: now + delay, unseen: written });
  }

  failed(group: string, now: number): void {
    const { failures = 0, rounds = 0 } = this.#waits.get(group) ?? {};
    const until = now + backoffDelay(failures + 1, this.#random(), BACKOFF);
    this.#waits.set(group, { failures: failures + 1, rounds, until, unseen: [] });
  }

  /** Forgets the groups that nothing is planned for any more. */
  keep(groups: ReadonlySet<string>): void {
    for (const group of this.#waits.keys()) if (!groups.has(group)) this.#waits.delete(group);
  }
}
