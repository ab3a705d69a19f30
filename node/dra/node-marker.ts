// Keeps the marks of this node's Node object in step with its vhci ports.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import { LevelLoop } from '../run/level-loop.ts';
import type { Log } from '../run/log.ts';
import { type MarksPatch, type NodeState, planMarks, planUnmark } from './node-marks.ts';

/** Milliseconds after which marks that somebody else changed are put right. */
const PERIOD = 60_000;

export class NodeMarker {
  readonly #kube: KubeClient;
  readonly #nodeName: string;
  readonly #loop: LevelLoop;

  /** `state` is asked at every run. */
  constructor(kube: KubeClient, state: () => NodeState, nodeName: string, log: Log) {
    this.#kube = kube;
    this.#nodeName = nodeName;
    this.#loop = new LevelLoop({
      name: 'Node marks',
      log,
      period: PERIOD,
      retry: { first: 200, longest: 30_000 },
      work: (signal) => this.#patch((metadata) => planMarks(state(), metadata), signal),
    });
  }

  get problem(): string | undefined {
    return this.#loop.problem;
  }

  /** The use of ports may have changed. */
  trigger(): void {
    this.#loop.trigger();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Takes the node out of placement. Call after `stop`; a Node that is gone is success. */
  async unmark(signal: AbortSignal): Promise<void> {
    await this.#patch(planUnmark, signal).catch((error: unknown) => {
      if (!(error instanceof TypedError) || error.code !== 'NOT_FOUND') throw error;
    });
  }

  async #patch(
    plan: (metadata: KubeObject['metadata']) => MarksPatch | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const key = { name: this.#nodeName };
    // Read first: marks that stand cost no write, and every write of a Node wakes all its watchers.
    const node = await this.#kube.get<KubeObject>(RESOURCE_TYPES.nodes, key, { signal });
    const patch = plan(node.metadata);
    if (patch) await this.#kube.patch(RESOURCE_TYPES.nodes, key, 'merge', patch, {}, { signal });
  }
}
