// Keeps this node's ResourceSlices equal to its inventory, and repairs them when others edit or delete them.
import { DRIVER } from '../../proto/api/names.ts';
import type { ResourceSlice } from '../../proto/api/resource.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import { reflect } from '../../proto/kube/watch/reflect.ts';
import { LevelLoop } from '../run/level-loop.ts';
import type { Log } from '../run/log.ts';
import { type PublishedDevice, sliceDevice } from './device-attributes.ts';
import { isOfPool, planSlices, type SliceStep } from './slices.ts';

const type = RESOURCE_TYPES.resourceSlices;
const ofDriver = { fieldSelector: `spec.driver=${DRIVER}` };

/** Milliseconds: a look without any sign of change. */
const PERIOD = 5 * 60_000;

/** Attempts in a row when somebody else writes the same slices. */
const CONFLICT_TRIES = 5;

function hasCode(error: unknown, ...codes: TypedError['code'][]): boolean {
  return error instanceof TypedError && codes.includes(error.code);
}

export class SlicePublisher {
  readonly #kube: KubeClient;
  readonly #nodeName: string;
  readonly #devices: () => readonly PublishedDevice[];
  readonly #log: Log;
  readonly #abort = new AbortController();
  readonly #loop: LevelLoop;
  #watching: Promise<void> | undefined;

  /** `devices` is asked at every run; blocked ones are left out. */
  constructor(kube: KubeClient, nodeName: string, devices: () => readonly PublishedDevice[], log: Log) {
    this.#kube = kube;
    this.#nodeName = nodeName;
    this.#devices = devices;
    this.#log = log;
    this.#loop = new LevelLoop({
      name: 'ResourceSlices',
      log,
      period: PERIOD,
      retry: { first: 100, longest: 30_000 },
      work: (signal) => this.#reconcile(signal),
    });
  }

  /** Why the API does not show the inventory; undefined when it does. */
  get problem(): string | undefined {
    return this.#loop.problem;
  }

  /** Begins to watch; the first list of the watch triggers the first run. */
  start(): void {
    const handlers = {
      onSync: () => this.trigger(),
      onEvent: (event: { type: string; object?: boolean }) => {
        if (event.object) this.trigger();
      },
      onError: (error: TypedError) =>
        this.#log.warn({ err: error }, `watching ResourceSlices: ${error.message}`),
    };
    const transform = (slice: ResourceSlice) => isOfPool(slice, this.#nodeName);
    const context = { signal: this.#abort.signal };
    this.#watching = reflect(this.#kube, type, { ...ofDriver, transform }, handlers, context);
  }

  /** The inventory may have changed. */
  trigger(): void {
    this.#loop.trigger();
  }

  /** The slices stay: a restart of the agent must not look like all devices being unplugged. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop.stop();
    await this.#watching;
  }

  /** Deletes this node's slices, e.g. when the agent leaves the node for good. Call after `stop`. */
  async remove(signal: AbortSignal): Promise<void> {
    for (const slice of await this.#own(signal)) await this.#delete(slice.metadata.name ?? '', signal);
  }

  /** Reads before each plan: a cache that lags behind our own writes would make slices twice. */
  async #reconcile(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const [node, observed] = await Promise.all([
        this.#kube.get<KubeObject>(RESOURCE_TYPES.nodes, { name: this.#nodeName }, { signal }),
        this.#own(signal),
      ]);
      const offered = this.#devices().filter(({ status }) => status.verdict === 'Offered');
      const owner = { name: this.#nodeName, uid: node.metadata.uid ?? '' };
      const steps = planSlices(offered.map(sliceDevice), observed, owner);
      try {
        for (const step of steps) await this.#apply(step, signal);
        if (steps.length > 0) {
          this.#log.info(
            { devices: offered.length, steps: steps.map((s) => s.do) },
            'ResourceSlices written',
          );
        }
        return;
      } catch (error) {
        if (attempt === CONFLICT_TRIES || !hasCode(error, 'CONFLICT', 'NOT_FOUND')) throw error;
      }
    }
  }

  async #own(signal: AbortSignal): Promise<ResourceSlice[]> {
    const { items } = await this.#kube.list<ResourceSlice>(type, ofDriver, { signal });
    return items.filter((slice) => isOfPool(slice, this.#nodeName));
  }

  async #apply(step: SliceStep, signal: AbortSignal): Promise<void> {
    if (step.do === 'create') await this.#kube.create(type, step.slice, {}, { signal });
    else if (step.do === 'update') await this.#kube.update(type, step.slice, {}, { signal });
    else await this.#delete(step.name, signal);
  }

  async #delete(name: string, signal: AbortSignal): Promise<void> {
    await this.#kube.delete(type, { name }, {}, { signal }).catch((error: unknown) => {
      if (!hasCode(error, 'NOT_FOUND')) throw error;
    });
  }
}
