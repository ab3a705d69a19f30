// Keeps asking for the lease, and tells when this replica leads and when it must not any more.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../proto/api/lease.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { Log } from '../run/log.ts';
import {
  followerOf,
  LEASE,
  type LeaseEffect,
  type LeaseEvent,
  type LeaseState,
  reduceLease,
} from './lease-state.ts';

export interface LeaderElectionParts {
  readonly kube: KubeClient;
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Unlike that of every other process that runs. */
  readonly identity: string;
  readonly onLead: () => void;
  /** Must have stopped all writing when it resolves. */
  readonly onFollow: () => Promise<void>;
  readonly log: Log;
  /** Milliseconds between two attempts; default the ones of client-go. */
  readonly retry?: number;
}

const type = RESOURCE_TYPES.leases;

/** Milliseconds for what is under way, and again for the last write: another replica waits for it. */
const FAREWELL = 3_000;

export class LeaderElection {
  readonly #parts: LeaderElectionParts;
  readonly #abort = new AbortController();
  /** Later than `abort`: the fate of a write must be known, or its lease could not be given back. */
  readonly #calls = new AbortController();
  #state: LeaseState;
  #running: Promise<void> | undefined;
  #problem: string | undefined;

  constructor(parts: LeaderElectionParts) {
    this.#parts = parts;
    this.#state = followerOf(parts.namespace, parts.name, parts.identity);
  }

  get leads(): boolean {
    return this.#state.renewed !== undefined;
  }

  /** Why the lease cannot be read or written; undefined when it can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends leadership first and gives the lease back then, so that another replica goes on at once. */
  async stop(): Promise<void> {
    this.#abort.abort();
    const timer = setTimeout(() => this.#calls.abort(), FAREWELL);
    await this.#running;
    clearTimeout(timer);
    await this.#feed({ on: 'stop', time: Date.now() }, AbortSignal.timeout(FAREWELL));
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      await this.#feed({ on: 'tick', at: performance.now(), time: Date.now() }, this.#calls.signal);
      // Only the signal ends a sleep early; the loop sees it.
      await sleep(this.#parts.retry ?? LEASE.retry, undefined, { signal }).catch(() => undefined);
    }
  }

  async #feed(event: LeaseEvent, signal: AbortSignal): Promise<void> {
    const [state, effects] = reduceLease(this.#state, event);
    this.#state = state;
    for (const effect of effects) await this.#do(effect, signal);
  }

  async #do(effect: LeaseEffect, signal: AbortSignal): Promise<void> {
    const { log, onLead, onFollow, identity } = this.#parts;
    if (effect.do === 'lead') {
      log.info({ identity }, 'this replica leads');
      onLead();
    } else if (effect.do === 'follow') {
      log.info({ identity }, 'this replica does not lead any more');
      await onFollow();
    } else {
      const answer = await this.#ask(effect, signal);
      if (answer && !signal.aborted) await this.#feed(answer, signal);
    }
  }

  /** Undefined when the lease was given back: that has no consequence here. */
  async #ask(
    effect: Extract<LeaseEffect, { do: 'read' | 'write' }>,
    signal: AbortSignal,
  ): Promise<LeaseEvent | undefined> {
    const begin = performance.now();
    const call = { signal, timeout: this.#timeLeft(begin) };
    try {
      const lease = effect.do === 'read' ? await this.#read(call) : await this.#write(effect.lease, call);
      this.#problem = undefined;
      if (effect.do === 'read') return { on: 'read', lease, at: performance.now(), time: Date.now() };
      return lease?.spec?.holderIdentity ? { on: 'written', lease, at: begin } : undefined;
    } catch (error) {
      if (!(error instanceof TypedError)) throw error;
      // Another replica was faster.
      if (error.code !== 'CONFLICT' && !signal.aborted) this.#report(error);
      return { on: 'failed', at: performance.now() };
    }
  }

  /** A leader that hears nothing must end at its deadline, not when the call would. */
  #timeLeft(now: number): number {
    const { renewed } = this.#state;
    return renewed === undefined ? LEASE.renewDeadline : Math.max(1, renewed + LEASE.renewDeadline - now);
  }

  /** Null when there is no lease yet. */
  async #read(call: { signal: AbortSignal; timeout: number }): Promise<Lease | null> {
    const { kube, namespace, name } = this.#parts;
    try {
      return await kube.get<Lease>(type, { namespace, name }, call);
    } catch (error) {
      if (error instanceof TypedError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  #write(lease: Lease, call: { signal: AbortSignal; timeout: number }): Promise<Lease> {
    const { kube } = this.#parts;
    return lease.metadata.resourceVersion === undefined
      ? kube.create(type, lease, {}, call)
      : kube.update(type, lease, {}, call);
  }

  /** Also for the readiness probe: a replica that cannot reach the lease is no help. */
  #report(error: TypedError): void {
    this.#problem = error.message;
    this.#parts.log.warn({ err: error }, `the lease: ${error.message}`);
  }
}
