// What a change waits for, and how far the cluster is: decided from the objects as they are now.
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { asksFor, has } from '../assignment.ts';
import { conditionOf, conditionText } from '../condition.ts';
import type { ObjectAddress } from './step.ts';

/** `device` is the name in the API. */
export type Goal = NamespaceGoal | VmGoal;

/** The controller has made the USBDevice of a namespace, or removed it. */
interface NamespaceGoal {
  readonly kind: 'assigned' | 'unassigned';
  readonly device: string;
  readonly namespace: string;
}

/** The guest has the device, or has lost it. */
interface VmGoal {
  readonly kind: 'attached' | 'detached';
  readonly device: string;
  readonly namespace: string;
  readonly vm: string;
}

/** The objects of a goal as they are now. */
export interface Seen {
  readonly nodeUsbDevice?: NodeUsbDevice | undefined;
  readonly usbDevice?: UsbDevice | undefined;
  readonly vm?: VirtualMachine | undefined;
}

export interface GoalState {
  readonly reached: boolean;
  /** For people; texts of conditions come from the cluster and are not safe for a terminal yet. */
  readonly text: string;
}

/** The objects that tell; only these are watched, and only the right to watch these is needed. */
export function objectsOf(goal: Goal): { readonly [kind in keyof Seen]: ObjectAddress } {
  const { device, namespace } = goal;
  const usbDevice = { type: RESOURCE_TYPES.usbDevices, key: { namespace, name: device } };
  if (!('vm' in goal)) {
    return { nodeUsbDevice: { type: RESOURCE_TYPES.nodeUsbDevices, key: { name: device } }, usbDevice };
  }
  const vm = { type: RESOURCE_TYPES.virtualMachines, key: { namespace, name: goal.vm } };
  // The VM alone tells of a detachment; what keeps a device from being attached is on the device.
  return goal.kind === 'attached' ? { usbDevice, vm } : { vm };
}

/**
 * `seen` is what the server said last; an object that is not in it does not exist. Conditions and reasons are those of
 * the controllers (proto/api/names.ts); a stock controller sets fewer of them, so none is needed to be there at first.
 */
export function goalState(goal: Goal, seen: Seen): GoalState {
  switch (goal.kind) {
    case 'assigned':
      return assignedState(goal.namespace, seen);
    case 'unassigned':
      return unassignedState(goal.namespace, seen);
    case 'attached':
      return attachedState(goal, seen);
    case 'detached':
      return detachedState(goal, seen);
  }
}

function assignedState(namespace: string, { nodeUsbDevice, usbDevice }: Seen): GoalState {
  if (!nodeUsbDevice) return pending('its NodeUSBDevice is gone');
  if (isStale(nodeUsbDevice)) return pending('the controller has not seen the change yet');
  const ready = conditionOf(nodeUsbDevice, 'Ready');
  if (ready && ready.status !== 'True') return pending(`not ready: ${conditionText(ready)}`);
  const assigned = conditionOf(nodeUsbDevice, 'Assigned');
  if (assigned?.status !== 'True') {
    return pending(
      assigned ? `not assigned: ${conditionText(assigned)}` : 'the controller has not judged it yet',
    );
  }
  if (!usbDevice) return pending(`its USBDevice in namespace ${namespace} is not there yet`);
  const usable = conditionOf(usbDevice, 'Ready');
  if (usable?.status !== 'True')
    return pending(usable ? `not ready: ${conditionText(usable)}` : 'its USBDevice has no state yet');
  return { reached: true, text: `assigned to namespace ${namespace} and ready` };
}

/** Conditions of an older generation tell of the former assignment. */
function isStale({ metadata, status }: NodeUsbDevice): boolean {
  const { observedGeneration } = status ?? {};
  return observedGeneration !== undefined && observedGeneration < (metadata.generation ?? 0);
}

/** The USBDevice stays until no VM has the device. */
function unassignedState(namespace: string, { usbDevice }: Seen): GoalState {
  if (!usbDevice) return { reached: true, text: `no longer assigned to namespace ${namespace}` };
  const attached = conditionOf(usbDevice, 'Attached');
  return attached?.status === 'True'
    ? pending(`still attached: ${conditionText(attached)}`)
    : pending(`its USBDevice in namespace ${namespace} is still there`);
}

function attachedState({ device, vm: name }: VmGoal, { usbDevice, vm }: Seen): GoalState {
  if (!vm) return pending(`vm/${name} is gone`);
  if (!asksFor(vm, device)) return pending(`somebody took it from the list of vm/${name}`);
  if (has(vm, device)) return { reached: true, text: `attached to vm/${name}` };
  const phase = vm.status?.phase;
  // The controller attaches to running machines only, and after a migration is over.
  if (phase !== 'Running') return pending(`vm/${name} is ${phase ?? 'in no phase yet'}`);
  const attached = conditionOf(usbDevice, 'Attached');
  // NoFreeUSBIPPort and its like are the reason; "requested" is the normal way there.
  const why = attached && attached.status !== 'True' ? ` (${conditionText(attached)})` : '';
  const listed = vm.status?.usbDevices?.some((one) => one.name === device);
  return pending(listed ? `not attached yet${why}` : `vm/${name} has not taken it up yet${why}`);
}

function detachedState({ device, vm: name }: VmGoal, { vm }: Seen): GoalState {
  return vm && has(vm, device)
    ? pending(`still attached to vm/${name}`)
    : { reached: true, text: `detached from vm/${name}` };
}

function pending(text: string): GoalState {
  return { reached: false, text };
}
