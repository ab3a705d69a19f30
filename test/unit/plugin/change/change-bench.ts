// A cluster in memory with an actor that plays the USB controller and the VM controller, and the program against it.
import { setTimeout as sleep } from 'node:timers/promises';
import { CallClient } from '../../../../plugin/run/call-client.ts';
import { runProgram } from '../../../../plugin/run/program.ts';
import type { UsbFacts } from '../../../../plugin/usb/facts.ts';
import type { NodeUsbDevice } from '../../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../../proto/api/gen/usb-device.ts';
import { NODE_USB_DEVICE, USB_DEVICE, VIRTUAL_MACHINE } from '../../../../proto/api/names.ts';
import type { VirtualMachine } from '../../../../proto/api/virtual-machine.ts';
import type {
  CallOptions,
  KubeClient,
  KubeObject,
  ResourceType,
  WriteOptions,
} from '../../../../proto/kube/client.ts';
import {
  type MemoryApi,
  type MemoryApiOptions,
  startMemoryApi,
} from '../../../../proto/kube/memory/memory-api.ts';
import { DEFAULT_KINDS, type ServedKind } from '../../../../proto/kube/memory/served-kind.ts';
import { RESOURCE_TYPES } from '../../../../proto/kube/resource-types.ts';
import { createKubeClient } from '../../../../proto/kube/rest/kube-client.ts';
import { connectionTo } from '../../../support/kube-connection.ts';
import { FakeHost, type FakeHostOptions } from '../fake-host.ts';
import { put } from '../lab-api.ts';
import { condition, STICK, usbDevice } from './change-objects.ts';

const OURS: readonly ServedKind[] = [
  { ...NODE_USB_DEVICE, namespaced: false, statusSubresource: true },
  { ...USB_DEVICE, namespaced: true, statusSubresource: true },
  { ...VIRTUAL_MACHINE, namespaced: true, statusSubresource: true },
];

/** What happens behind a change of an object; undefined: nobody does anything. */
export interface Actor {
  readonly assigns?: boolean;
  readonly attaches?: boolean;
}

export interface BenchOptions extends MemoryApiOptions {
  readonly actor?: Actor;
  /** What SelfSubjectAccessReviews answer; without it the API does not serve them. */
  readonly mayPatch?: (plural: string) => boolean;
}

export class ChangeBench {
  readonly api: MemoryApi;
  readonly #options: BenchOptions;
  readonly #busy = new Set<string>();

  /** Serves `facts`; `close` it. */
  static async start(facts: UsbFacts, options: BenchOptions = {}): Promise<ChangeBench> {
    const names = new Set(OURS.map(({ plural }) => plural));
    const kinds = [...DEFAULT_KINDS.filter(({ plural }) => !names.has(plural as never)), ...OURS];
    return new ChangeBench(await startMemoryApi({ kinds, ...options }), facts, options);
  }

  private constructor(api: MemoryApi, facts: UsbFacts, options: BenchOptions) {
    this.api = api;
    this.#options = options;
    const seed = (type: ResourceType, objects: readonly KubeObject[] = []) => {
      for (const object of objects) put(api, type, object);
    };
    for (const name of ['lab', 'other']) put(api, RESOURCE_TYPES.namespaces, { metadata: { name } });
    seed(RESOURCE_TYPES.usbNodeStatuses, facts.statuses);
    seed(RESOURCE_TYPES.resourceClaims, facts.claims);
    seed(RESOURCE_TYPES.nodes, facts.nodes);
    seed(RESOURCE_TYPES.nodeUsbDevices, facts.nodeUsbDevices);
    seed(RESOURCE_TYPES.usbDevices, facts.usbDevices);
    seed(RESOURCE_TYPES.virtualMachines, facts.vms);
    api.store.subscribe(({ kind, object }) => {
      if (object) setImmediate(() => this.#act(kind.plural, object));
    });
  }

  client(): KubeClient {
    const client = createKubeClient(connectionTo(this.api.url), {});
    const { mayPatch } = this.#options;
    return mayPatch ? new ReviewingClient(client, mayPatch) : client;
  }

  /** A host with real pauses; `run` starts the program on it. */
  host(given: FakeHostOptions = {}): FakeHost {
    return new FakeHost({
      connect: async () => this.client(),
      pause: (milliseconds, signal) =>
        sleep(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined),
      ...given,
    });
  }

  async run(
    line: string,
    given: FakeHostOptions = {},
  ): Promise<{ code: number; out: string; err: string; host: FakeHost }> {
    const host = this.host(given);
    const code = await runProgram(line.split(' '), host);
    return { code, out: host.out, err: host.err, host };
  }

  vm(name: string, namespace = 'lab'): VirtualMachine {
    return this.#get(RESOURCE_TYPES.virtualMachines, { namespace, name }) as VirtualMachine;
  }

  stick(): NodeUsbDevice {
    return this.#get(RESOURCE_TYPES.nodeUsbDevices, { name: STICK }) as NodeUsbDevice;
  }

  usbDevices(): UsbDevice[] {
    return this.api.store.list(this.#kind(RESOURCE_TYPES.usbDevices), undefined) as unknown as UsbDevice[];
  }

  put(type: ResourceType, object: KubeObject): void {
    put(this.api, type, object);
  }

  #act(plural: string, object: KubeObject): void {
    const { assigns = true, attaches = true } = this.#options.actor ?? {};
    if (plural === 'nodeusbdevices' && assigns) this.#assign(object as NodeUsbDevice);
    if (plural === 'virtualmachines' && attaches) this.#attach(object as VirtualMachine);
  }

  /** Conditions, and one USBDevice in the namespace that has the device. */
  #assign(object: NodeUsbDevice): void {
    const { assignedNamespace } = object.spec;
    const state = `${assignedNamespace}`;
    if (!this.#once(`assign ${state}`)) return;
    const kind = this.#kind(RESOURCE_TYPES.usbDevices);
    for (const old of this.api.store.list(kind, undefined))
      if (old.metadata.namespace !== assignedNamespace) this.api.store.remove(kind, old);
    if (assignedNamespace && !this.api.store.has(kind, { namespace: assignedNamespace, name: STICK }))
      this.put(RESOURCE_TYPES.usbDevices, usbDevice(assignedNamespace));
    const conditions = [
      condition('Ready', 'True', 'Ready'),
      condition(
        'Assigned',
        assignedNamespace ? 'True' : 'False',
        assignedNamespace ? 'Assigned' : 'Available',
      ),
    ];
    const { generation = 1 } = object.metadata;
    this.put(RESOURCE_TYPES.nodeUsbDevices, {
      ...object,
      status: { ...object.status, conditions, observedGeneration: generation },
    } as KubeObject);
  }

  /** The status that follows from the list of a running VM. */
  #attach(vm: VirtualMachine): void {
    const wanted = (vm.spec.usbDevices ?? []).map(({ name }) => name);
    const has = (vm.status?.usbDevices ?? []).map(({ name }) => name);
    if (vm.status?.phase !== 'Running' || `${wanted}` === `${has}`) return;
    const usbDevices = wanted.map((name) => ({ name, attached: true, ready: true }));
    this.put(RESOURCE_TYPES.virtualMachines, { ...vm, status: { ...vm.status, usbDevices } } as KubeObject);
  }

  /** The actor must not answer to its own writes. */
  #once(what: string): boolean {
    const isNew = !this.#busy.has(what);
    this.#busy.clear();
    this.#busy.add(what);
    return isNew;
  }

  #kind({ group, version, plural }: ResourceType): ServedKind {
    const kind = this.api.store.kind(group, version, plural);
    if (!kind) throw new Error(`${plural} is not served`);
    return kind;
  }

  #get(type: ResourceType, key: { namespace?: string; name: string }): KubeObject {
    return this.api.store.get(this.#kind(type), key);
  }
}

/** Answers SelfSubjectAccessReviews, which the API in memory does not serve. */
class ReviewingClient extends CallClient {
  readonly #mayPatch: (plural: string) => boolean;

  constructor(client: KubeClient, mayPatch: (plural: string) => boolean) {
    super(client, {});
    this.#mayPatch = mayPatch;
  }

  override async create<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options?: WriteOptions,
    call?: CallOptions,
  ): Promise<T> {
    if (type.plural !== 'selfsubjectaccessreviews') return super.create(type, object, options, call);
    const { resourceAttributes } = (
      object as unknown as { spec: { resourceAttributes: { verb: string; resource: string } } }
    ).spec;
    const allowed = resourceAttributes.verb !== 'patch' || this.#mayPatch(resourceAttributes.resource);
    return { ...object, status: { allowed } };
  }
}
