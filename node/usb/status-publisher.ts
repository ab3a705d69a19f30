// Writes this node's USBNodeStatus: at once when something changed, else a heartbeat.
import { isDeepStrictEqual } from 'node:util';
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import { USB_NODE_STATUS } from '../../proto/api/names.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import { LevelLoop } from '../run/level-loop.ts';
import type { Log } from '../run/log.ts';

/** Everything but the heartbeat, which the publisher adds. */
export type NodeStatusContent = Omit<NonNullable<UsbNodeStatus['status']>, 'heartbeat'>;

/** Readers take an agent as gone after three of these (milliseconds). */
const HEARTBEAT = 60_000;

const type = RESOURCE_TYPES.usbNodeStatuses;

export class StatusPublisher {
  readonly #kube: KubeClient;
  readonly #nodeName: string;
  readonly #content: () => Promise<NodeStatusContent>;
  readonly #loop: LevelLoop;
  #written: NodeStatusContent | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;

  /** `content` is asked at every run, so that a burst of changes is written once. */
  constructor(kube: KubeClient, nodeName: string, content: () => Promise<NodeStatusContent>, log: Log) {
    this.#kube = kube;
    this.#nodeName = nodeName;
    this.#content = content;
    this.#loop = new LevelLoop({
      name: 'USBNodeStatus',
      log,
      period: HEARTBEAT / 4,
      retry: { first: 200, longest: 10_000 },
      work: (signal) => this.#write(signal),
    });
  }

  get problem(): string | undefined {
    return this.#loop.problem;
  }

  trigger(): void {
    this.#loop.trigger();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #write(signal: AbortSignal): Promise<void> {
    const content = await this.#content();
    const now = Date.now();
    if (now - this.#writtenAt < HEARTBEAT && isDeepStrictEqual(content, this.#written)) return;
    const key = { name: this.#nodeName };
    const patch = { status: { ...content, heartbeat: new Date(now).toISOString() } };
    const write = () => this.#kube.patch(type, key, 'merge', patch, { subresource: 'status' }, { signal });
    // A write that fails may have arrived.
    this.#written = undefined;
    try {
      await write();
    } catch (error) {
      if (!(error instanceof TypedError) || error.code !== 'NOT_FOUND') throw error;
      await this.#create(signal);
      await write();
    }
    this.#written = structuredClone(content);
    this.#writtenAt = now;
  }

  async #create(signal: AbortSignal): Promise<void> {
    const object: UsbNodeStatus = {
      apiVersion: `${USB_NODE_STATUS.group}/${USB_NODE_STATUS.version}`,
      kind: USB_NODE_STATUS.kind,
      metadata: { name: this.#nodeName },
    };
    try {
      await this.#kube.create(type, object, {}, { signal });
    } catch (error) {
      // Another instance of the same node made it in between (rolling update).
      if (!(error instanceof TypedError) || error.code !== 'CONFLICT') throw error;
    }
  }
}
