// Which namespace an administrator gave a device to, and which virtual machines there ask for it or have it.
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';
import type { UsbFacts } from './facts.ts';

export interface VmUse {
  readonly namespace: string;
  readonly name: string;
  /** Its status says so; else it only asks for the device. */
  readonly attached: boolean;
}

export interface Assignment {
  /** Undefined: given to nobody. */
  readonly namespace?: string | undefined;
  readonly nodeUsbDevice?: NodeUsbDevice | undefined;
  /** The one in `namespace`. */
  readonly usbDevice?: UsbDevice | undefined;
  /** Of `namespace` only: elsewhere the name in a VM's list means nothing. Those that have it come first. */
  readonly vms: readonly VmUse[];
}

/** The name of NodeUSBDevice, USBDevice and in a VM's list (the controller's rule). */
export function objectNameOf(device: string): string {
  return device.toLowerCase().replaceAll('.', '-');
}

/** By `objectNameOf`. A person who may not see NodeUSBDevices still learns the namespace from the USBDevice. */
export function assignmentsByName(facts: UsbFacts): Map<string, Assignment> {
  const assignments = new Map<string, Assignment>();
  const usbDevices = facts.usbDevices ?? [];
  for (const nodeUsbDevice of facts.nodeUsbDevices ?? []) {
    const { name = '' } = nodeUsbDevice.metadata;
    const namespace = nodeUsbDevice.spec.assignedNamespace || undefined;
    const usbDevice = usbDevices.find(
      ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
    );
    assignments.set(name, { namespace, nodeUsbDevice, usbDevice, vms: usesOf(name, namespace, facts.vms) });
  }
  for (const usbDevice of usbDevices) {
    const { name = '', namespace } = usbDevice.metadata;
    if (assignments.has(name)) continue;
    assignments.set(name, { namespace, usbDevice, vms: usesOf(name, namespace, facts.vms) });
  }
  return assignments;
}

/** Whether the VM's list names the device. */
export function asksFor(vm: VirtualMachine, name: string): boolean {
  return (vm.spec?.usbDevices ?? []).some((one) => one.name === name);
}

/** Whether the VM's status says that it has the device. */
export function has(vm: VirtualMachine, name: string): boolean {
  return (vm.status?.usbDevices ?? []).some((one) => one.name === name && one.attached);
}

function usesOf(name: string, namespace: string | undefined, vms: UsbFacts['vms']): VmUse[] {
  return (vms ?? [])
    .filter((vm) => vm.metadata.namespace === namespace && (asksFor(vm, name) || has(vm, name)))
    .map((vm) => ({
      namespace: vm.metadata.namespace ?? '',
      name: vm.metadata.name ?? '',
      attached: has(vm, name),
    }))
    .sort((a, b) => Number(b.attached) - Number(a.attached));
}
