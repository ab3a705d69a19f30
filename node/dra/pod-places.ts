// On which node a pod runs and which addresses that node has, asked from the API server.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { PodPlace } from './grant-judge.ts';

interface Pod extends KubeObject {
  spec?: { nodeName?: string };
}

interface Node extends KubeObject {
  status?: { addresses?: { address: string }[] };
}

/** Milliseconds for a look-up: a peer waits for the answer. */
const TIMEOUT = 3_000;

export class PodPlaces {
  readonly #kube: KubeClient;
  readonly #memory: number;
  readonly #now: () => number;
  readonly #known = new Map<string, { place: PodPlace; at: number }>();

  /** While the API server does not answer, what it said at most `memory` ms ago still holds. */
  constructor(kube: KubeClient, memory: number, now: () => number = () => performance.now()) {
    this.#kube = kube;
    this.#memory = memory;
    this.#now = now;
  }

  /** Undefined when the pod is gone, was replaced by one of the same name, or is not placed. */
  async find(pod: ObjectRef): Promise<PodPlace | undefined> {
    try {
      const place = await this.#ask(pod);
      if (place) this.#known.set(pod.uid, { place, at: this.#now() });
      else this.#known.delete(pod.uid);
      this.#forgetOld();
      return place;
    } catch (error) {
      this.#forgetOld();
      const known = this.#known.get(pod.uid);
      if (known) return known.place;
      throw error;
    }
  }

  async #ask(pod: ObjectRef): Promise<PodPlace | undefined> {
    try {
      const options = { timeout: TIMEOUT };
      const { metadata, spec } = await this.#kube.get<Pod>(RESOURCE_TYPES.pods, pod, options);
      // A pod of a StatefulSet comes back under its name, maybe elsewhere.
      if (metadata.uid !== pod.uid || !spec?.nodeName) return undefined;
      const node = await this.#kube.get<Node>(RESOURCE_TYPES.nodes, { name: spec.nodeName }, options);
      return { node: spec.nodeName, addresses: (node.status?.addresses ?? []).map(({ address }) => address) };
    } catch (error) {
      if (error instanceof TypedError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  #forgetOld(): void {
    for (const [uid, { at }] of this.#known) {
      if (this.#now() - at > this.#memory) this.#known.delete(uid);
    }
  }
}
