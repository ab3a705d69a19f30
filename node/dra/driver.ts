// The DRA driver as the kubelet sees it: batches of claims in, one outcome a claim out, always in time.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { KeyedLock } from '../run/keyed-lock.ts';
import { StepTimes } from '../run/step-times.ts';
import type { DriverHost } from './driver-host.ts';
import { ClaimPreparer, type PreparedDevice } from './prepare.ts';
import { PATIENCE, type Patience } from './reservation.ts';
import { ClaimUnpreparer } from './unprepare.ts';

export type Outcome<T> = { readonly value: T } | { readonly error: TypedError };

/** Milliseconds. */
export interface CallLimits {
  /** The kubelet gives a call 45 s; an answer in time says more than its "deadline exceeded". */
  readonly call: number;
  /** How long an aborted claim may take to undo itself before the answer goes out without it. */
  readonly undo: number;
}

const LIMITS: CallLimits = { call: 40_000, undo: 2_000 };

/** Settles with `work`, or rejects with the signal's reason `grace` ms after it aborts; `work` goes on then. */
async function settledInTime<T>(work: Promise<T>, signal: AbortSignal, grace: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const overdue = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), grace);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function typed(error: unknown, verb: string, claim: ObjectRef, signal: AbortSignal): TypedError {
  // A call that our own signal ended is called interrupted by the client; what interrupted it is the time.
  if (error instanceof TypedError && !(signal.aborted && error.code === 'INTERRUPTED')) return error;
  const name = `claim ${claim.namespace}/${claim.name}`;
  if (signal.aborted) {
    const hint = 'the kubelet tries again; see the log of the USB agent for what was slow';
    return new TypedError('TIMED_OUT', `${verb} ${name} was not finished in time`, hint, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new TypedError('INTERNAL', `${verb} ${name}: ${message}`, undefined, { cause: error });
}

export class DraDriver {
  readonly #host: DriverHost;
  readonly #limits: CallLimits;
  readonly #preparer: ClaimPreparer;
  readonly #unpreparer: ClaimUnpreparer;

  /** Holds no state of claims between calls: another instance, or this one after a restart, may get the next. */
  constructor(host: DriverHost, patience: Patience = PATIENCE, limits: CallLimits = LIMITS) {
    const claimLock = new KeyedLock();
    this.#host = host;
    this.#limits = limits;
    this.#preparer = new ClaimPreparer(host, claimLock, patience);
    this.#unpreparer = new ClaimUnpreparer(host, claimLock);
  }

  /** Every claim is in the result under its uid. `cancelled` aborts when the kubelet gives the call up. */
  prepare(
    claims: readonly ObjectRef[],
    cancelled: AbortSignal,
  ): Promise<Map<string, Outcome<PreparedDevice[]>>> {
    const signal = AbortSignal.any([cancelled, AbortSignal.timeout(this.#limits.call)]);
    return this.#each('preparing', claims, signal, (claim) => this.#preparer.prepare(claim, signal));
  }

  /** Goes on when the kubelet gives the call up: what is freed need not be freed by the next one. */
  unprepare(claims: readonly ObjectRef[]): Promise<Map<string, Outcome<void>>> {
    const signal = AbortSignal.timeout(this.#limits.call);
    return this.#each('unpreparing', claims, signal, (claim) => this.#unpreparer.unprepare(claim));
  }

  async #each<T>(
    verb: string,
    claims: readonly ObjectRef[],
    signal: AbortSignal,
    work: (claim: ObjectRef) => Promise<T>,
  ): Promise<Map<string, Outcome<T>>> {
    const one = async (claim: ObjectRef): Promise<Outcome<T>> => {
      const begin = performance.now();
      const steps = new StepTimes();
      const spent = () => ({ milliseconds: Math.round(performance.now() - begin), steps });
      try {
        const value = await settledInTime(
          steps.collect(() => work(claim)),
          signal,
          this.#limits.undo,
        );
        this.#host.log.info({ claim, ...spent() }, `${verb} claim ${claim.namespace}/${claim.name}: done`);
        return { value };
      } catch (cause) {
        const error = typed(cause, verb, claim, signal);
        this.#host.log.warn({ claim, code: error.code, ...spent(), err: cause }, error.message);
        return { error };
      }
    };
    const distinct = [...new Map(claims.map((claim) => [claim.uid, claim])).values()];
    return new Map(await Promise.all(distinct.map(async (claim) => [claim.uid, await one(claim)] as const)));
  }
}
