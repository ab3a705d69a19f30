// Who leads among equal replicas: the rules of leader election by a Lease, without a clock and without the API. Pure.
import type { Lease } from '../../proto/api/lease.ts';

/** Milliseconds; the ones of client-go (tools/leaderelection). */
export const LEASE = {
  /** Others take a lease that was not renewed for so long. */
  duration: 15_000,
  /** A leader that could not renew for so long ends: before others begin, whatever the clocks say. */
  renewDeadline: 10_000,
  /** Between two attempts. */
  retry: 2_000,
} as const;

export interface LeaseState {
  readonly identity: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined: to be read; null: there is none. */
  readonly lease: Lease | null | undefined;
  /** The last one that was read, and when it was first read in this form: clocks of others do not matter. */
  readonly version: string | undefined;
  readonly since: number;
  /** When the last renewal that was accepted began; undefined while another leads. */
  readonly renewed: number | undefined;
}

/** `at`: milliseconds on a clock that only goes forward. `time`: milliseconds since the epoch, to be written down. */
export type LeaseEvent =
  | { readonly on: 'tick'; readonly at: number; readonly time: number }
  | { readonly on: 'read'; readonly lease: Lease | null; readonly at: number; readonly time: number }
  /** `at`: when the write began. */
  | { readonly on: 'written'; readonly lease: Lease; readonly at: number }
  /** A read or write that failed, a lost race included. */
  | { readonly on: 'failed'; readonly at: number }
  | { readonly on: 'stop'; readonly time: number };

export type LeaseEffect =
  | { readonly do: 'read' }
  /** To be created when it has no resourceVersion, which otherwise is the precondition. */
  | { readonly do: 'write'; readonly lease: Lease }
  | { readonly do: 'lead' }
  | { readonly do: 'follow' };

export function followerOf(namespace: string, name: string, identity: string): LeaseState {
  return { identity, namespace, name, lease: undefined, version: undefined, since: 0, renewed: undefined };
}

/** The answer to a `read` or `write` comes back as an event before the next `tick`. */
export function reduceLease(state: LeaseState, event: LeaseEvent): [LeaseState, LeaseEffect[]] {
  switch (event.on) {
    case 'tick':
      return onTick(state, event);
    case 'read':
      return onRead(state, event);
    case 'written':
      return onWritten(state, event);
    case 'failed':
      return withDeadline({ ...state, lease: undefined }, event.at);
    case 'stop':
      return onStop(state, event.time);
  }
}

type On<E extends LeaseEvent['on']> = Extract<LeaseEvent, { on: E }>;

/** A leader writes at once what it knows: one request a renewal. */
function onTick(state: LeaseState, { at, time }: On<'tick'>): [LeaseState, LeaseEffect[]] {
  const [next, effects] = withDeadline(state, at);
  if (next.renewed !== undefined && next.lease) {
    return [next, [...effects, { do: 'write', lease: heldLease(next, next.lease, time) }]];
  }
  return [next, [...effects, { do: 'read' }]];
}

function onRead(state: LeaseState, { lease, at, time }: On<'read'>): [LeaseState, LeaseEffect[]] {
  const version = lease?.metadata.resourceVersion;
  const since = version === state.version ? state.since : at;
  const next = { ...state, lease, version, since };
  if (isOthers(next, lease, at)) return surrendered(next);
  return [next, [{ do: 'write', lease: heldLease(next, lease, time) }]];
}

/** An expired lease, one that was given back, or none may be taken. */
function isOthers({ identity, since }: LeaseState, lease: Lease | null, at: number): boolean {
  const { holderIdentity, leaseDurationSeconds = 0 } = lease?.spec ?? {};
  if (!holderIdentity || holderIdentity === identity) return false;
  return at - since < leaseDurationSeconds * 1_000;
}

function onWritten(state: LeaseState, { lease, at }: On<'written'>): [LeaseState, LeaseEffect[]] {
  const version = lease.metadata.resourceVersion;
  const next = { ...state, lease, version, since: at, renewed: at };
  return [next, state.renewed === undefined ? [{ do: 'lead' }] : []];
}

function onStop(state: LeaseState, time: number): [LeaseState, LeaseEffect[]] {
  const [next, effects] = surrendered(state);
  if (state.renewed === undefined || !state.lease) return [next, effects];
  const lease = heldLease(state, state.lease, time);
  // As client-go leaves it: without a holder, and soon over for those that look at the duration alone.
  const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
  return [next, [...effects, { do: 'write', lease: { ...lease, spec } }]];
}

function withDeadline(state: LeaseState, at: number): [LeaseState, LeaseEffect[]] {
  const { renewed } = state;
  return renewed !== undefined && at - renewed >= LEASE.renewDeadline ? surrendered(state) : [state, []];
}

/** The lease is read anew before it is taken: what was known of it may be old. */
function surrendered(state: LeaseState): [LeaseState, LeaseEffect[]] {
  const effects: LeaseEffect[] = state.renewed === undefined ? [] : [{ do: 'follow' }];
  return [{ ...state, lease: undefined, renewed: undefined }, effects];
}

/** The metadata that was read goes along, and with it the version as precondition. */
function heldLease(state: LeaseState, lease: Lease | null, time: number): Lease {
  const { identity, namespace, name } = state;
  const renewTime = microTime(time);
  const mine = lease?.spec?.holderIdentity === identity;
  const { acquireTime = renewTime, leaseTransitions = 0 } = lease?.spec ?? {};
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: lease?.metadata ?? { namespace, name },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: LEASE.duration / 1_000,
      acquireTime: mine ? acquireTime : renewTime,
      renewTime,
      leaseTransitions: mine || !lease ? leaseTransitions : leaseTransitions + 1,
    },
  };
}

/** metav1.MicroTime is read with six digits only. */
function microTime(time: number): string {
  return new Date(time).toISOString().replace('Z', '000Z');
}
