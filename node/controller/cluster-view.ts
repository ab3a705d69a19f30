// The objects of the cluster that the controller plans with, kept up to date by watches.

import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import { DRIVER } from '../../proto/api/names.ts';
import type { ResourceSlice } from '../../proto/api/resource.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';
import type { KubeClient, KubeObject, ListOptions, ResourceType } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { CachedObject } from '../../proto/kube/watch/object-cache.ts';
import type { Log } from '../run/log.ts';
import {
  namespaceFacts,
  nodeFacts,
  ownObject,
  sliceFacts,
  templateFacts,
  virtualMachineFacts,
} from './object-facts.ts';
import type { Observed } from './observed.ts';
import { WatchedKind } from './watched-kind.ts';
import type { Written } from './written.ts';

export class ClusterView {
  readonly #kinds;
  readonly #listeners = new Set<() => void>();

  constructor(log: Log) {
    const onChange = () => {
      for (const listener of this.#listeners) listener();
    };
    const kind = <S extends KubeObject, T extends CachedObject>(
      type: ResourceType,
      transform: (object: S) => T,
      more: { list?: ListOptions; optional?: boolean } = {},
    ) => new WatchedKind<S, T>({ type, transform, ...more, onChange, log });
    this.#kinds = {
      resourceSlices: kind(RESOURCE_TYPES.resourceSlices, (slice: ResourceSlice) => sliceFacts(slice), {
        list: { fieldSelector: `spec.driver=${DRIVER}` },
      }),
      nodes: kind(RESOURCE_TYPES.nodes, nodeFacts),
      namespaces: kind(RESOURCE_TYPES.namespaces, namespaceFacts),
      nodeUsbDevices: kind(RESOURCE_TYPES.nodeUsbDevices, (object: NodeUsbDevice) => ownObject(object)),
      usbDevices: kind(RESOURCE_TYPES.usbDevices, (object: UsbDevice) => ownObject(object)),
      resourceClaimTemplates: kind(RESOURCE_TYPES.resourceClaimTemplates, templateFacts),
      virtualMachines: kind(
        RESOURCE_TYPES.virtualMachines,
        (object: VirtualMachine) => virtualMachineFacts(object),
        { optional: true },
      ),
    };
  }

  /** Which objects are not known yet, and why; undefined when all are. */
  get problem(): string | undefined {
    const problems = Object.values(this.#kinds).map((kind) => kind.problem);
    return problems.find((problem) => problem !== undefined);
  }

  /** Undefined before all of it is known: half a view would look as if the rest were deleted. */
  observed(missingNodes: Observed['missingNodes']): Observed | undefined {
    if (this.problem !== undefined) return undefined;
    const { nodes, namespaces, ...kinds } = this.#kinds;
    const live = [...namespaces.cache.values()].filter(({ metadata }) => !metadata.deletionTimestamp);
    return {
      slices: [...kinds.resourceSlices.cache.values()],
      nodes: new Map([...nodes.cache.values()].map((node) => [node.metadata.name ?? '', node])),
      namespaces: new Set(live.map(({ metadata }) => metadata.name ?? '')),
      nodeUsbDevices: [...kinds.nodeUsbDevices.cache.values()],
      usbDevices: [...kinds.usbDevices.cache.values()],
      templates: [...kinds.resourceClaimTemplates.cache.values()],
      virtualMachines: [...kinds.virtualMachines.cache.values()],
      missingNodes,
    };
  }

  /** The object that a write was about as the cache has it, which may be behind that write. */
  seen({ kind, key }: Written): KubeObject | undefined {
    return this.#kinds[kind].cache.get(key);
  }

  /** Calls `listener` after each change that matters; the result ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until the signal aborts. */
  async run(kube: KubeClient, signal: AbortSignal): Promise<void> {
    await Promise.all(Object.values(this.#kinds).map((kind) => kind.run(kube, signal)));
  }
}
