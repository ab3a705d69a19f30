// The rules of leader election: who may take the lease, when a leader ends, what is written.
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
import { START } from '../../support/controller/objects.ts';

const time = START;
const start = () => followerOf('kubectl-virt', 'usb-controller', 'me');

function lease(holderIdentity: string, resourceVersion = '1', spec: Lease['spec'] = {}): Lease {
  const metadata = { namespace: 'kubectl-virt', name: 'usb-controller', resourceVersion };
  return { metadata, spec: { holderIdentity, leaseDurationSeconds: 15, ...spec } };
}

/** The state and the effects of the last event. */
function played(events: LeaseEvent[], from: LeaseState = start()): [LeaseState, LeaseEffect[]] {
  return events.reduce<[LeaseState, LeaseEffect[]]>(
    ([state], event) => reduceLease(state, event),
    [from, []],
  );
}

/** Since `at`, with version 5. */
function leaderSince(at: number): LeaseState {
  const [state] = played([
    { on: 'read', lease: null, at, time },
    { on: 'written', lease: lease('me', '5'), at },
  ]);
  return state;
}

const verbs = (effects: readonly LeaseEffect[]) => effects.map((effect) => effect.do);

describe('a follower', () => {
  it('reads first', () => {
    expect(played([{ on: 'tick', at: 0, time }])[1]).toEqual([{ do: 'read' }]);
  });

  it('makes the lease that is not there', () => {
    const [state, effects] = played([{ on: 'read', lease: null, at: 0, time }]);
    expect(effects).toEqual([
      {
        do: 'write',
        lease: {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { namespace: 'kubectl-virt', name: 'usb-controller' },
          spec: {
            holderIdentity: 'me',
            leaseDurationSeconds: 15,
            acquireTime: '2026-01-01T00:00:00.000000Z',
            renewTime: '2026-01-01T00:00:00.000000Z',
            leaseTransitions: 0,
          },
        },
      },
    ]);
    expect(state.renewed).toBeUndefined();
  });

  it('leads only when its write was accepted', () => {
    const [, effects] = played([
      { on: 'read', lease: null, at: 0, time },
      { on: 'written', lease: lease('me'), at: 0 },
    ]);
    expect(effects).toEqual([{ do: 'lead' }]);
  });

  it('leaves the lease to its holder until it was not renewed for its duration', () => {
    const read = (at: number): LeaseEvent => ({ on: 'read', lease: lease('other'), at, time });
    const [first, none] = played([read(100)]);
    expect(none).toEqual([]);
    expect(played([read(100 + LEASE.duration - 1)], first)[1]).toEqual([]);
    expect(verbs(played([read(100 + LEASE.duration)], first)[1])).toEqual(['write']);
  });

  it('counts anew when the lease was renewed, whatever the clock of the holder says', () => {
    const old = lease('other', '1', { renewTime: '1999-01-01T00:00:00.000000Z' });
    const [, effects] = played([
      { on: 'read', lease: old, at: 0, time },
      { on: 'read', lease: lease('other', '2'), at: 14_000, time },
      { on: 'read', lease: lease('other', '2'), at: 28_999, time },
    ]);
    expect(effects).toEqual([]);
  });

  it('does not begin to count anew when a read fails', () => {
    const [, effects] = played([
      { on: 'read', lease: lease('other'), at: 0, time },
      { on: 'failed', at: 5_000 },
      { on: 'read', lease: lease('other'), at: LEASE.duration, time },
    ]);
    expect(verbs(effects)).toEqual(['write']);
  });

  it('takes a lease at once that was given back, or that is its own from before a restart', () => {
    for (const holder of ['', 'me']) {
      const [, effects] = played([{ on: 'read', lease: lease(holder), at: 0, time }]);
      expect(verbs(effects)).toEqual(['write']);
    }
  });

  it('counts the change of holders, under the version that it saw', () => {
    const found = lease('', '7', { leaseTransitions: 3, acquireTime: 'long ago' });
    const [, [effect]] = played([{ on: 'read', lease: found, at: 0, time }]);
    expect(effect).toMatchObject({
      lease: { metadata: { resourceVersion: '7' }, spec: { holderIdentity: 'me', leaseTransitions: 4 } },
    });
    expect(effect).toHaveProperty('lease.spec.acquireTime', '2026-01-01T00:00:00.000000Z');
  });

  it('that lost the race reads again', () => {
    const [, effects] = played([
      { on: 'read', lease: lease(''), at: 0, time },
      { on: 'failed', at: 10 },
      { on: 'tick', at: 2_000, time },
    ]);
    expect(effects).toEqual([{ do: 'read' }]);
  });
});

describe('a leader', () => {
  it('renews what it knows without reading', () => {
    const [, [effect]] = played([{ on: 'tick', at: 2_000, time: time + 2_000 }], leaderSince(0));
    expect(effect).toMatchObject({
      do: 'write',
      lease: {
        metadata: { resourceVersion: '5' },
        spec: { renewTime: '2026-01-01T00:00:02.000000Z', leaseTransitions: 0 },
      },
    });
  });

  it('is told once that it leads', () => {
    const [, effects] = played([{ on: 'written', lease: lease('me', '6'), at: 2_000 }], leaderSince(0));
    expect(effects).toEqual([]);
  });

  it('reads after a failure, and goes on when the lease is still its own', () => {
    const events: LeaseEvent[] = [
      { on: 'failed', at: 2_000 },
      { on: 'tick', at: 4_000, time },
    ];
    const [state, effects] = played(events, leaderSince(0));
    expect(verbs(effects)).toEqual(['read']);
    const [, next] = played([{ on: 'read', lease: lease('me', '6'), at: 4_010, time }], state);
    expect(verbs(next)).toEqual(['write']);
  });

  it('ends when it could not renew for ten seconds, counted from the begin of its last renewal', () => {
    const leader = leaderSince(1_000);
    expect(played([{ on: 'failed', at: 1_000 + LEASE.renewDeadline - 1 }], leader)[1]).toEqual([]);
    const [state, effects] = played([{ on: 'failed', at: 1_000 + LEASE.renewDeadline }], leader);
    expect(effects).toEqual([{ do: 'follow' }]);
    expect(state.renewed).toBeUndefined();
    expect(verbs(played([{ on: 'tick', at: 1_000 + LEASE.renewDeadline, time }], leader)[1])).toEqual([
      'follow',
      'read',
    ]);
  });

  it('ends before any other may begin', () => {
    expect(LEASE.renewDeadline).toBeLessThan(LEASE.duration);
  });

  it("ends at once when the lease is another's", () => {
    const events: LeaseEvent[] = [
      { on: 'failed', at: 2_000 },
      { on: 'read', lease: lease('other', '9'), at: 2_010, time },
    ];
    expect(played(events, leaderSince(0))[1]).toEqual([{ do: 'follow' }]);
  });
});

describe('stop', () => {
  it('of a leader ends its work first, and gives the lease back then', () => {
    const [state, effects] = played([{ on: 'stop', time }], leaderSince(0));
    expect(effects).toMatchObject([
      { do: 'follow' },
      {
        do: 'write',
        lease: { metadata: { resourceVersion: '5' }, spec: { holderIdentity: '', leaseDurationSeconds: 1 } },
      },
    ]);
    expect(state.renewed).toBeUndefined();
  });

  it('of a leader that does not know the lease just ends its work', () => {
    const [leader] = played([{ on: 'failed', at: 1_000 }], leaderSince(0));
    expect(played([{ on: 'stop', time }], leader)[1]).toEqual([{ do: 'follow' }]);
  });

  it('of a follower is nothing', () => {
    expect(
      played([
        { on: 'read', lease: lease('other'), at: 0, time },
        { on: 'stop', time },
      ])[1],
    ).toEqual([]);
  });
});
