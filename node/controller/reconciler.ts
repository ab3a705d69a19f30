// The loop of the controller that leads: observe, plan, write; each device by itself, many at a time.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import { forEachAtMost } from '../run/bounded-work.ts';
import type { ControllerMetrics } from '../run/controller-metrics.ts';
import { LevelLoop } from '../run/level-loop.ts';
import type { Log } from '../run/log.ts';
import type { ClusterView } from './cluster-view.ts';
import { missingNodes } from './dead-node-plan.ts';
import type { Observed } from './observed.ts';
import { planDevices } from './plan.ts';
import type { Step } from './step.ts';
import { StepGate } from './step-gate.ts';
import { StepWriter } from './step-writer.ts';

export interface ReconcilerParts {
  readonly view: ClusterView;
  readonly kube: KubeClient;
  readonly metrics: ControllerMetrics;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Milliseconds in which changes are gathered. */
const GATHER = 50;

/** Milliseconds between looks without a change: graces of a minute end no later than this after it. */
const PERIOD = 5_000;

/** Devices that are written at a time: enough to hide the way to the API server, too few to crowd others out there. */
const CONCURRENCY = 16;

/** Failures of the way to the API server, not of an object: the rest would meet them too. */
const OUTAGES: readonly string[] = [
  'SERVER_UNREACHABLE',
  'TOO_MANY_REQUESTS',
  'UNAUTHENTICATED',
  'INTERRUPTED',
];

export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #gate: StepGate;
  readonly #writer: StepWriter;
  readonly #loop: LevelLoop;
  readonly #forget: () => void;
  /** Begins anew with each leader: at worst a stale slice stays five minutes longer. */
  #missing: Observed['missingNodes'] = new Map();
  #timer: NodeJS.Timeout | undefined;

  /** Begins at once. */
  constructor(parts: ReconcilerParts) {
    const { view, kube, metrics, log, now } = parts;
    this.#parts = parts;
    this.#gate = new StepGate((written) => view.seen(written));
    this.#writer = new StepWriter(kube, log, now, (step) =>
      metrics.steps.inc({ kind: step.kind, do: step.do }),
    );
    this.#loop = new LevelLoop({
      name: 'USB devices',
      log,
      gather: GATHER,
      period: PERIOD,
      retry: { first: 200, longest: 10_000 },
      work: (signal) => this.#reconcile(signal),
    });
    this.#forget = view.onChange(() => this.#loop.trigger());
    this.#loop.trigger();
  }

  /** Why nothing can be written at all; undefined when it can. */
  get problem(): string | undefined {
    return this.#loop.problem;
  }

  /** Writes that are under way are aborted; nothing is written after it resolved. */
  async stop(): Promise<void> {
    this.#forget();
    clearTimeout(this.#timer);
    await this.#loop.stop();
    clearTimeout(this.#timer);
    this.#parts.metrics.pending.set(0);
    this.#parts.metrics.failing.set(0);
  }

  /** Throws for what concerns every group; the loop then waits and looks at everything anew. */
  async #reconcile(signal: AbortSignal): Promise<void> {
    const { now, metrics } = this.#parts;
    const observed = this.#observe();
    if (!observed) return;
    const groups = Map.groupBy(planDevices(observed, now()), ({ group }) => group);
    this.#gate.keep(new Set(groups.keys()));
    metrics.pending.set(groups.size);
    const open = [...groups].filter(([group]) => this.#gate.isOpen(group, now()));
    await forEachAtMost(CONCURRENCY, open, ([group, steps]) => this.#write(group, steps, signal));
    metrics.failing.set(this.#gate.failing);
    this.#lookAgain();
  }

  /** Undefined before the caches are complete: nothing may be taken as gone before. */
  #observe(): Observed | undefined {
    const { view, now } = this.#parts;
    const observed = view.observed(this.#missing);
    if (!observed) return undefined;
    this.#missing = missingNodes(observed, this.#missing, now());
    return { ...observed, missingNodes: this.#missing };
  }

  async #write(group: string, steps: readonly Step[], signal: AbortSignal): Promise<void> {
    const { metrics, log, now } = this.#parts;
    try {
      this.#gate.done(group, await this.#writer.write(steps, signal), now());
      metrics.pending.dec();
    } catch (error) {
      const code = error instanceof TypedError ? error.code : 'INTERNAL';
      if (OUTAGES.includes(code)) throw error;
      this.#gate.failed(group, now());
      metrics.failures.inc({ code });
      // Somebody else wrote in between: the next look is the cure.
      if (code === 'CONFLICT' || code === 'NOT_FOUND') return;
      log.warn({ group, code, err: error }, `${group} could not be written: it is tried again`);
    }
  }

  /** Waits end without a change of the cluster. */
  #lookAgain(): void {
    clearTimeout(this.#timer);
    const delay = this.#gate.next - this.#parts.now();
    if (delay < PERIOD) this.#timer = setTimeout(() => this.#loop.trigger(), Math.max(0, delay));
  }
}
