// What was observed, by the name of the device, so that a plan looks at each object once. Pure.
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';
import { templateSubject } from './claim-template.ts';
import type { Observed, TemplateFacts } from './observed.ts';
import { type PluggedDevices, pluggedDevices } from './plugged-devices.ts';

export interface DeviceIndex {
  readonly observed: Observed;
  readonly plugged: PluggedDevices;
  readonly nodeUsbDevices: ReadonlyMap<string, NodeUsbDevice>;
  readonly usbDevices: ReadonlyMap<string, readonly UsbDevice[]>;
  readonly templates: ReadonlyMap<string, readonly TemplateFacts[]>;
  /** By `useKey`: those that have or want the device. */
  readonly uses: ReadonlyMap<string, readonly VirtualMachine[]>;
}

export function useKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

export function indexDevices(observed: Observed): DeviceIndex {
  const { nodeUsbDevices, usbDevices, templates, virtualMachines } = observed;
  return {
    observed,
    plugged: pluggedDevices(observed.slices),
    nodeUsbDevices: new Map(nodeUsbDevices.map((each) => [each.metadata.name ?? '', each])),
    usbDevices: Map.groupBy(usbDevices, ({ metadata }) => metadata.name ?? ''),
    templates: Map.groupBy(templates, ({ metadata }) => templateSubject(metadata.name ?? '') ?? ''),
    uses: usesOf(virtualMachines),
  };
}

/** Every name that something is known of: also what is left of objects that are gone. Sorted, so that plans compare. */
export function namesOf({ plugged, nodeUsbDevices, usbDevices, templates }: DeviceIndex): string[] {
  const maps = [plugged.devices, nodeUsbDevices, usbDevices, templates];
  return [...new Set(maps.flatMap((map) => [...map.keys()]))].filter((name) => name !== '').sort();
}

/** A machine that gave up a device in its spec has it until its status says otherwise. */
function usesOf(virtualMachines: readonly VirtualMachine[]): Map<string, VirtualMachine[]> {
  const uses = new Map<string, VirtualMachine[]>();
  for (const vm of virtualMachines) {
    const wanted = vm.spec.usbDevices ?? [];
    const held = (vm.status?.usbDevices ?? []).filter(({ attached }) => attached);
    for (const name of new Set([...wanted, ...held].map((entry) => entry.name))) {
      const key = useKey(vm.metadata.namespace ?? '', name);
      const list = uses.get(key);
      if (list) list.push(vm);
      else uses.set(key, [vm]);
    }
  }
  return uses;
}
