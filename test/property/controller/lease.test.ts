// Leader election under random failures: never two leaders at a time, and always one again in the end.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  followerOf,
  LEASE,
  type LeaseEffect,
  type LeaseEvent,
  type LeaseState,
  reduceLease,
} from '../../../node/controller/lease-state.ts';
import type { Lease } from '../../../proto/api/lease.ts';

/** What happens to one request: it fails before it arrives, or its answer is lost. */
type Luck = 'good' | 'lost request' | 'lost answer';

/** The API with its only rule: a write must name the version that is there. */
class Api {
  lease: Lease | null = null;
  #version = 0;

  write(wanted: Lease): Lease | undefined {
    if (wanted.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) return undefined;
    const metadata = { ...wanted.metadata, resourceVersion: String(++this.#version) };
    this.lease = { ...wanted, metadata };
    return this.lease;
  }
}

/** A replica whose clock is its own. */
class Replica {
  state: LeaseState;
  alive = true;
  readonly #api: Api;
  readonly #skew: number;

  constructor(api: Api, identity: string, skew: number) {
    this.#api = api;
    this.#skew = skew;
    this.state = followerOf('kubectl-virt', 'usb-controller', identity);
  }

  /** Leads as far as itself knows: a deadline that passed counts, whether it was noticed or not. */
  leads(now: number): boolean {
    const { renewed } = this.state;
    return this.alive && renewed !== undefined && now + this.#skew - renewed < LEASE.renewDeadline;
  }

  tick(now: number, luck: Luck): void {
    if (this.alive) this.#feed({ on: 'tick', at: now + this.#skew, time: now + this.#skew }, now, luck);
  }

  stop(now: number): void {
    if (this.alive) this.#feed({ on: 'stop', time: now }, now, 'good');
    this.alive = false;
  }

  #feed(event: LeaseEvent, now: number, luck: Luck): void {
    const [state, effects] = reduceLease(this.state, event);
    this.state = state;
    for (const effect of effects) {
      const answer = this.#answer(effect, now, luck);
      if (answer && event.on !== 'stop') this.#feed(answer, now, luck);
    }
  }

  #answer(effect: LeaseEffect, now: number, luck: Luck): LeaseEvent | undefined {
    const at = now + this.#skew;
    if (effect.do === 'lead' || effect.do === 'follow') return undefined;
    if (luck === 'lost request') return { on: 'failed', at };
    if (effect.do === 'read') return { on: 'read', lease: this.#api.lease, at, time: at };
    const written = this.#api.write(effect.lease);
    return written && luck === 'good' ? { on: 'written', lease: written, at } : { on: 'failed', at };
  }
}

const luck = fc.constantFrom<Luck>('good', 'good', 'lost request', 'lost answer');
const turn = fc.record({
  who: fc.nat({ max: 2 }),
  wait: fc.integer({ min: 0, max: 4_000 }),
  luck,
  end: fc.constantFrom('', '', '', '', '', '', '', 'kill', 'stop'),
});
const skews = fc.tuple(fc.nat(1e9), fc.nat(1e9), fc.nat(1e9));

function replicas(api: Api, all: readonly number[]): Replica[] {
  return all.map((skew, index) => new Replica(api, `replica-${index}`, skew));
}

describe('leader election', () => {
  it('never has two leaders, whatever is lost and whatever the clocks say', () => {
    fc.assert(
      fc.property(skews, fc.array(turn, { maxLength: 80, size: 'large' }), (offsets, turns) => {
        const all = replicas(new Api(), offsets);
        let now = 0;
        for (const { who, wait, luck, end } of turns) {
          now += wait;
          const replica = all[who];
          if (end === 'kill' && replica) replica.alive = false;
          else if (end === 'stop') replica?.stop(now);
          else replica?.tick(now, luck);
          expect(all.filter((each) => each.leads(now)).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('has a leader again soon after the troubles end', () => {
    fc.assert(
      fc.property(skews, fc.array(turn, { maxLength: 40 }), (offsets, turns) => {
        const api = new Api();
        const all = replicas(api, offsets);
        let now = 0;
        for (const { who, wait, luck, end } of turns) {
          now += wait;
          if (end === 'kill' && all[who] && who > 0) all[who].alive = false;
          else all[who]?.tick(now, luck);
        }
        const limit = now + LEASE.duration + 2 * LEASE.retry;
        for (; now < limit; now += LEASE.retry) for (const each of all) each.tick(now, 'good');
        expect(all.filter((each) => each.leads(now))).toHaveLength(1);
      }),
      { numRuns: 200 },
    );
  });
});
