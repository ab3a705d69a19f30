// The USB controller put together: a view of the cluster in every replica, a reconciler in the one that leads.
import type { KubeClient } from '../../proto/kube/client.ts';
import { ClusterView } from '../controller/cluster-view.ts';
import { LeaderElection } from '../controller/leader-election.ts';
import { Reconciler } from '../controller/reconciler.ts';
import { type ControllerMetrics, createControllerMetrics } from './controller-metrics.ts';
import type { Log } from './log.ts';
import type { Probes } from './probe-server.ts';

export interface UsbControllerParts {
  readonly kube: KubeClient;
  /** Of the lease. */
  readonly namespace: string;
  /** Unlike that of every other process that runs. */
  readonly identity: string;
  readonly log: Log;
  /** Milliseconds since the epoch; default the wall clock. */
  readonly now?: () => number;
  /** Milliseconds between two attempts to get or keep the lease. */
  readonly leaseRetry?: number;
}

/** Name of the lease. */
const LEASE_NAME = 'usb-controller';

export class UsbController {
  readonly #parts: UsbControllerParts;
  readonly #view: ClusterView;
  readonly #election: LeaderElection;
  readonly #abort = new AbortController();
  readonly metrics: ControllerMetrics;
  #reconciler: Reconciler | undefined;
  #watching: Promise<void> | undefined;

  constructor(parts: UsbControllerParts) {
    const { kube, namespace, identity, log, leaseRetry } = parts;
    this.#parts = parts;
    this.#view = new ClusterView(log);
    this.#election = new LeaderElection({
      kube,
      namespace,
      name: LEASE_NAME,
      identity,
      onLead: () => this.#lead(),
      onFollow: () => this.#follow(),
      log,
      ...(leaseRetry !== undefined && { retry: leaseRetry }),
    });
    this.metrics = createControllerMetrics(() => this.leads);
  }

  get leads(): boolean {
    return this.#election.leads;
  }

  /** Everything that needs the API server retries by itself. */
  start(): void {
    this.#watching = this.#view.run(this.#parts.kube, this.#abort.signal);
    this.#election.start();
  }

  /** Writing ends first, then the lease is given back. */
  async stop(): Promise<void> {
    await this.#election.stop();
    this.#abort.abort();
    await this.#watching;
  }

  probes(): Probes {
    return {
      // An answer is all: nothing that can be wrong here is cured by a restart.
      live: { answers: () => undefined },
      ready: {
        objects: () => this.#view.problem,
        lease: () => this.#election.problem,
        writes: () => this.#reconciler?.problem,
      },
    };
  }

  #lead(): void {
    const { kube, log, now = Date.now } = this.#parts;
    this.#reconciler = new Reconciler({ view: this.#view, kube, metrics: this.metrics, log, now });
  }

  async #follow(): Promise<void> {
    await this.#reconciler?.stop();
    this.#reconciler = undefined;
  }
}
