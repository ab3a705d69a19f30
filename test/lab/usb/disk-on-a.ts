// The stage of the claim tests: agents on both nodes, a disk plugged into a, and nothing left over after each test.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Cluster } from '../cluster.ts';
import { Gadget } from '../gadget.ts';
import type { LabNode } from '../node.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { waitFor } from '../wait.ts';
import { agentsOn, devicesOf, listed, offered } from './agents.ts';
import { inPod, runClaimPod, running } from './claims.ts';
import { type Footprint, nothingLeft, takeFootprint } from './footprint.ts';

const MEDIUM = '/run/claimed';

export class DiskOnA {
  readonly cluster: Cluster;
  readonly serial: string;
  readonly a: LabNode;
  readonly b: LabNode;
  #gadget: Gadget | undefined;
  #device = '';
  #hash = '';

  constructor(cluster: Cluster, serial: string) {
    this.cluster = cluster;
    this.serial = serial;
    this.a = cluster.node('a');
    this.b = cluster.node('b');
  }

  /** Name of the device in the ResourceSlice. */
  get device(): string {
    return this.#device;
  }

  get busid(): string {
    return this.#gadget?.busid ?? '';
  }

  /** Makes the disk and plugs it in; again after a power loss of a, which takes it along. */
  async plug(): Promise<void> {
    const { cluster, a, serial } = this;
    await a.ok(`[ -s ${MEDIUM} ] || head -c 8M /dev/urandom >${MEDIUM}`);
    this.#hash = await a.ok(`sha256sum <${MEDIUM}`);
    const spec = { name: serial, kind: 'storage', udc: 0, file: MEDIUM, serial } as const;
    this.#gadget = await Gadget.plug(a, spec);
    this.#device = (await listed(cluster, 'a', serial)).name;
    await offered(cluster, this.#device);
  }

  async remove(): Promise<void> {
    await this.#gadget?.remove();
    await waitFor(
      'the disk is gone from the list',
      async () => (await devicesOf(this.cluster, 'a')).length === 0,
    );
  }

  /** Runs a pod with a claim for the disk, reads the whole disk in it, and returns the milliseconds until it ran. */
  async claim(name: string, node: 'a' | 'b'): Promise<number> {
    const time = await runClaimPod(this.cluster, { name, node, device: this.#device });
    await this.readable(name);
    return time;
  }

  /** Fails unless the pod reads every byte of the disk from the disk itself. */
  async readable(pod: string): Promise<void> {
    await running(this.cluster, pod);
    // A kubelet that has just started answers before it knows the pods that it had.
    await waitFor(`${pod} takes commands`, () => inPod(this.cluster, pod, 'echo yes'));
    const read = await inPod(
      this.cluster,
      pod,
      'dd if=$(ls /dev/sd?) bs=64k iflag=direct 2>/dev/null | sha256sum',
    );
    if (read.trim() !== this.#hash) throw new Error(`pod ${pod} reads ${read}, not ${this.#hash}`);
  }
}

/** Registers the hooks of a file of tests, and returns how a test gets at the stage. */
export function diskOnA(serial: string): () => DiskOnA {
  let stage: DiskOnA;
  let before: Footprint;
  beforeAll(async () => {
    const cluster = await sharedCluster();
    await agentsOn(cluster);
    stage = new DiskOnA(cluster, serial);
    await stage.plug();
  });
  beforeEach(async () => {
    before = await takeFootprint(stage.cluster);
  });
  afterEach(async () => {
    const { cluster } = stage;
    await cluster.kubectl('delete', 'pods', '--all', '--timeout=90s');
    await cluster.kubectl('delete', 'resourceclaims', '--all', '--timeout=60s');
    await nothingLeft(cluster, before);
  });
  afterAll(() => stage?.remove());
  return () => stage;
}
