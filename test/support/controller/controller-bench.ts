// Real controllers around an API server in memory that checks and prunes by our CRDs.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { UsbController } from '../../../node/run/usb-controller.ts';
import type { KubeEvent } from '../../../proto/api/event.ts';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import { VIRTUAL_MACHINE } from '../../../proto/api/names.ts';
import type { SliceDevice } from '../../../proto/api/resource.ts';
import type { ResourceClaimTemplate } from '../../../proto/api/resource-claim-template.ts';
import type { KubeClient, KubeObject, ObjectKey, ResourceType } from '../../../proto/kube/client.ts';
import { servedKind } from '../../../proto/kube/memory/custom-kind.ts';
import { type MemoryApi, startMemoryApi } from '../../../proto/kube/memory/memory-api.ts';
import { DEFAULT_KINDS, type ServedKind, type StoredObject } from '../../../proto/kube/memory/served-kind.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { type KeptLog, keptLog } from '../kept-log.ts';
import { connectionTo } from '../kube-connection.ts';
import { slice } from './objects.ts';

const CRDS = ['node-usb-device', 'usb-device'].map((name) => {
  const path = new URL(`../../../node/deploy/crds/${name}.yaml`, import.meta.url);
  return servedKind(parse(readFileSync(path, 'utf8')));
});

const LEASE: ServedKind = { ...RESOURCE_TYPES.leases, kind: 'Lease', namespaced: true };
const VM: ServedKind = { ...VIRTUAL_MACHINE, namespaced: true, statusSubresource: true };

const CONFIG_MAPS: ResourceType = { group: '', version: 'v1', plural: 'configmaps' };

export const LEASE_KEY = { namespace: 'kubectl-virt', name: 'usb-controller' };

export interface Replica {
  readonly controller: UsbController;
  readonly kube: KubeClient;
  readonly log: KeptLog;
}

export interface BenchOptions {
  /** Whether the cluster has virtual machines; default true. */
  readonly machines?: boolean;
}

export class ControllerBench {
  api: MemoryApi;
  kube: KubeClient;
  /** Added to the clock of the controllers, in milliseconds. */
  ahead = 0;
  readonly replicas: Replica[] = [];
  readonly #kinds: readonly ServedKind[];

  private constructor(api: MemoryApi, kinds: readonly ServedKind[]) {
    this.api = api;
    this.#kinds = kinds;
    this.kube = createKubeClient(connectionTo(api.url));
  }

  /** With the nodes a and b, which are ready, and the namespaces lab and shop. */
  static async open({ machines = true }: BenchOptions = {}): Promise<ControllerBench> {
    const kinds = [...DEFAULT_KINDS, ...CRDS, LEASE, ...(machines ? [VM] : [])];
    const bench = new ControllerBench(await startMemoryApi({ kinds, keep: 100_000 }), kinds);
    for (const name of ['a', 'b']) bench.node(name, 'True');
    for (const name of ['lab', 'shop']) bench.put(RESOURCE_TYPES.namespaces, { metadata: { name } });
    return bench;
  }

  replica(identity: string): Replica {
    const log = keptLog();
    const kube = createKubeClient(connectionTo(this.api.url));
    const controller = new UsbController({
      kube,
      namespace: LEASE_KEY.namespace,
      identity,
      log,
      now: () => Date.now() + this.ahead,
      leaseRetry: 30,
    });
    const replica = { controller, kube, log };
    this.replicas.push(replica);
    controller.start();
    return replica;
  }

  node(name: string, ready: 'True' | 'False' | 'Unknown', labels: Record<string, string> = {}): void {
    const lastTransitionTime = new Date(Date.now() + this.ahead).toISOString();
    const status = { conditions: [{ type: 'Ready', status: ready, lastTransitionTime }] };
    this.put(RESOURCE_TYPES.nodes, { metadata: { name, labels }, status });
  }

  /** The slice of a node as its agent writes it; without devices it is deleted. */
  publish(pool: string, ...devices: SliceDevice[]): void {
    const { metadata, spec } = slice(pool, devices);
    if (devices.length === 0) this.remove(RESOURCE_TYPES.resourceSlices, { name: metadata.name ?? '' });
    else this.put(RESOURCE_TYPES.resourceSlices, { metadata: { name: metadata.name ?? '' }, spec });
  }

  /** Past the rules of the API: what others did. */
  put(type: ResourceType, object: KubeObject & Record<string, unknown>): void {
    const kind = this.#kind(type);
    const key = { name: '', ...object.metadata };
    const uid = this.api.store.has(kind, key) ? this.api.store.get(kind, key).metadata.uid : undefined;
    const metadata = { uid: uid ?? crypto.randomUUID(), generation: 1, ...object.metadata };
    const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
    this.api.store.put(kind, { apiVersion, kind: kind.kind, ...object, metadata } as StoredObject);
  }

  remove(type: ResourceType, key: ObjectKey): void {
    const kind = this.#kind(type);
    if (this.api.store.has(kind, key)) this.api.store.remove(kind, this.api.store.get(kind, key));
  }

  all<T extends KubeObject>(type: ResourceType): T[] {
    return this.api.store.list(this.#kind(type), undefined) as unknown as T[];
  }

  device(name: string): NodeUsbDevice | undefined {
    return this.all<NodeUsbDevice>(RESOURCE_TYPES.nodeUsbDevices).find((each) => each.metadata.name === name);
  }

  /** As an administrator does it, with kubectl. */
  async spec(name: string, spec: NodeUsbDevice['spec']): Promise<void> {
    await this.kube.patch(RESOURCE_TYPES.nodeUsbDevices, { name }, 'merge', { spec });
  }

  /** `Ready=True/Ready Assigned=False/Available Attached=False/Available` of a NodeUSBDevice, or '' without one. */
  conditions(name: string): string {
    return conditionText(this.device(name));
  }

  /** The same of a USBDevice. */
  shown(namespace: string, name: string): string {
    return conditionText(
      this.all<UsbDevice>(RESOURCE_TYPES.usbDevices).find(
        ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
      ),
    );
  }

  /** `namespace/name` of every USBDevice and template. */
  given(): string[] {
    const objects = [
      ...this.all<UsbDevice>(RESOURCE_TYPES.usbDevices),
      ...this.all<ResourceClaimTemplate>(RESOURCE_TYPES.resourceClaimTemplates),
    ];
    return objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
  }

  /** Reasons of the events of an object's name, oldest first. */
  reasons(name: string, kind = 'NodeUSBDevice'): string[] {
    const events = this.all<KubeEvent>(RESOURCE_TYPES.events).filter(
      ({ involvedObject }) => involvedObject.name === name && involvedObject.kind === kind,
    );
    return events
      .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ reason = '' }) => reason);
  }

  /** Plurals of the kinds written from now on; leases are not told of. The result ends it. */
  writes(): { readonly seen: string[]; end: () => void } {
    const seen: string[] = [];
    const end = this.api.store.subscribe(({ kind }) => {
      if (kind.plural !== 'leases') seen.push(kind.plural);
    });
    return { seen, end };
  }

  /** Takes the API server away; the result brings it back on its port with all that it knew. */
  async outage(): Promise<() => Promise<void>> {
    const port = Number(new URL(this.api.url).port);
    const { version } = this.api.store;
    const before = this.#kinds.flatMap((kind) =>
      this.api.store.list(kind, undefined).map((object) => ({ kind, object })),
    );
    this.kube.close();
    await this.api.close();
    return async () => {
      this.api = await startMemoryApi({ port, kinds: this.#kinds, keep: 100_000 });
      // Versions go on where they were, as those of etcd do.
      while (this.api.store.version < version)
        this.put(CONFIG_MAPS, { metadata: { namespace: 'lab', name: 'x' } });
      for (const { kind, object } of before) this.api.store.put(kind, object);
      this.kube = createKubeClient(connectionTo(this.api.url));
    };
  }

  async close(): Promise<void> {
    for (const { controller, kube } of this.replicas) {
      await controller.stop();
      kube.close();
    }
    this.kube.close();
    await this.api.close();
  }

  #kind({ group, version, plural }: ResourceType): ServedKind {
    const kind = this.api.store.kind(group, version, plural);
    if (!kind) throw new Error(`${plural} are not served`);
    return kind;
  }
}

function conditionText(object: NodeUsbDevice | UsbDevice | undefined): string {
  const conditions = object?.status?.conditions ?? [];
  return conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`).join(' ');
}
