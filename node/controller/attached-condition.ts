// Whether a virtual machine has a device, and why not. Pure.
import { ATTACHED_REASONS, CONDITION_TYPES, NODE_ANNOTATIONS } from '../../proto/api/names.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';
import type { WantedCondition } from './conditions.ts';
import type { NodeFacts } from './observed.ts';
import type { DeviceFacts } from './plugged-devices.ts';

/** Mb/s from which on a device is behind the SuperSpeed hub of vhci. */
const SUPER_SPEED = 5_000;

/** `vms` are those of the namespace that have or want the device. */
export function attachedCondition(
  name: string,
  device: DeviceFacts | undefined,
  vms: readonly VirtualMachine[],
  nodes: ReadonlyMap<string, NodeFacts>,
): WantedCondition {
  const holder = vms.find((vm) => hasAttached(vm, name));
  if (holder) {
    return condition('attached', `virtual machine ${holder.metadata.name} has it`);
  }
  const [first] = vms;
  if (!first) return condition('available', '');
  const full = vms
    .map((vm) => vm.status?.nodeName)
    .find((node) => device && node && node !== device.nodeName && isFull(nodes.get(node), device));
  if (full) {
    return condition('noFreePort', `node ${full} has no free port for a device of another node`);
  }
  return condition('available', `requested by virtual machine ${first.metadata.name}`);
}

/** What the machine's controller says; that `spec` names the device is only a wish. */
export function hasAttached({ status }: VirtualMachine, name: string): boolean {
  return (status?.usbDevices ?? []).some((entry) => entry.name === name && entry.attached);
}

/** The hubs of vhci have equally many ports. A node that does not tell is not taken as full. */
function isFull(node: NodeFacts | undefined, { attributes }: DeviceFacts): boolean {
  const annotations = node?.metadata.annotations ?? {};
  const superSpeed = (attributes.speed ?? 0) >= SUPER_SPEED;
  const used = superSpeed ? NODE_ANNOTATIONS.superSpeedUsed : NODE_ANNOTATIONS.highSpeedUsed;
  // Missing and unreadable numbers become NaN, which is never full.
  return Number(annotations[used]) >= Number(annotations[NODE_ANNOTATIONS.totalPorts]) / 2;
}

function condition(reason: 'attached' | 'available' | 'noFreePort', message: string): WantedCondition {
  const status = reason === 'attached' ? 'True' : 'False';
  return { type: CONDITION_TYPES.attached, status, reason: ATTACHED_REASONS[reason], message };
}
