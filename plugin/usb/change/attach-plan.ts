// How a device gets to a virtual machine: all that could be in the way, then the steps.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import type { PatchOperation } from '../../../proto/kube/memory/json-patch.ts';
import { asksFor, has, objectNameOf } from '../assignment.ts';
import type { DeviceRow } from '../device-row.ts';
import { assignedStep, assignStep } from './assign-plan.ts';
import { whyBlocked, whyBusy, whyElsewhere, whyNotReady } from './device-refusal.ts';
import { testOf } from './guarded-patch.ts';
import type { Plan } from './plan.ts';
import type { PatchStep, Step, WaitStep } from './step.ts';
import { vmObject, vmText } from './vm.ts';

/** `maxItems` of spec.usbDevices in the schema of VirtualMachine. */
export const MOST_DEVICES = 8;

export interface AttachFacts {
  readonly row: DeviceRow;
  readonly vm: VirtualMachine;
  /** A device that nobody has may be assigned to the VM's namespace. */
  readonly mayAssign: boolean;
  /** NodeUSBDevices can be listed: else only what is assigned to the VM's namespace is known. */
  readonly seesAssignments: boolean;
  /** The person waits until it is attached. */
  readonly waits: boolean;
}

/**
 * Throws the refusal: DEVICE_BLOCKED, CONFLICT (assigned elsewhere), DEVICE_BUSY, DEVICE_NOT_READY, DEVICE_CHANGED,
 * TOO_MANY_DEVICES, VM_NOT_RUNNING, NOT_FOUND, FORBIDDEN.
 */
export function planAttach(facts: AttachFacts): Plan {
  const { row, vm, mayAssign, seesAssignments, waits } = facts;
  const device = objectNameOf(row.name);
  const namespace = vm.metadata.namespace ?? '';
  const outcome = { object: vmObject(vm), summary: `${row.name} is attached to ${vmText(vm)}` };
  const isAssigned = row.assignment?.namespace === namespace;
  if (isAssigned && asksFor(vm, device) && has(vm, device)) return { kind: 'done', ...outcome };
  const refusal = whyDeviceNot(row, namespace, vm.metadata.name) ?? whyVmNot(vm, device, waits);
  if (refusal) throw refusal;
  if (!isAssigned && !seesAssignments) throw notForThisNamespace(row, namespace);
  if (!isAssigned && !mayAssign) return mayItBeAssigned(row, namespace, vm);
  const assigning: Step[] = isAssigned ? [] : [assignStep(row, namespace)];
  // A USBDevice that the controller has not made yet is as good as none.
  const ready = isAssigned && row.assignment?.usbDevice ? [] : [assignedStep(row, namespace)];
  const listing: Step[] = asksFor(vm, device) ? [] : [listStep(row, vm)];
  return {
    kind: 'steps',
    ...outcome,
    requested: isRunning(vm)
      ? `${row.name} is to be attached to ${vmText(vm)}`
      : `${row.name} is in the list of ${vmText(vm)}, which is ${phaseOf(vm)}: it is attached at the next start`,
    steps: [...assigning, ...ready, ...listing, attachedStep(row, vm)],
  };
}

/** What can be changed least comes first: nobody should assign a device only to learn that it is blocked. */
function whyDeviceNot(row: DeviceRow, namespace: string, vm: string | undefined): TypedError | undefined {
  return whyBlocked(row, namespace) ?? whyElsewhere(row, namespace) ?? whyBusy(row, vm) ?? whyNotReady(row);
}

/** An entry that is in the list already is not counted twice. */
function whyVmNot(vm: VirtualMachine, device: string, waits: boolean): TypedError | undefined {
  const list = vm.spec.usbDevices ?? [];
  if (!asksFor(vm, device) && list.length >= MOST_DEVICES) {
    return new TypedError(
      'TOO_MANY_DEVICES',
      `${vmText(vm)} has ${list.length} USB devices, and ${MOST_DEVICES} is the most`,
      `detach one of them first: ${list.map(({ name }) => name).join(', ')}`,
    );
  }
  if (isRunning(vm) || !waits) return undefined;
  return new TypedError(
    'VM_NOT_RUNNING',
    `${vmText(vm)} is ${phaseOf(vm)}: devices are attached to running machines only`,
    'start it, or repeat with --wait=false to have the device attached at its next start',
  );
}

/** A VM that migrates runs too: the device follows when the migration is over. */
function isRunning({ status }: VirtualMachine): boolean {
  return status?.phase === 'Running' || status?.phase === 'Migrating';
}

function phaseOf({ status }: VirtualMachine): string {
  return status?.phase ?? 'in no phase yet';
}

/** For a person without rights on NodeUSBDevices. */
function notForThisNamespace({ name }: DeviceRow, namespace: string): TypedError {
  return new TypedError(
    'FORBIDDEN',
    `${name} is not assigned to namespace ${namespace}, and you may not see who has it`,
    `an administrator of the cluster can assign it: kubectl virt usb assign ${name} -n ${namespace}`,
  );
}

function mayItBeAssigned({ name }: DeviceRow, namespace: string, vm: VirtualMachine): Plan {
  return {
    kind: 'question',
    question: `${name} is assigned to no namespace. Assign it to namespace ${namespace} for ${vmText(vm)}?`,
    unasked: new TypedError(
      'USAGE',
      `${name} is assigned to no namespace`,
      `repeat with --assign to assign it to namespace ${namespace}`,
    ),
  };
}

function listStep(row: DeviceRow, vm: VirtualMachine): PatchStep {
  return {
    kind: 'patch',
    about: `add ${row.name} to the list of ${vmText(vm)}`,
    ...vmObject(vm),
    patch: listPatch(vm, { name: objectNameOf(row.name) }),
    undo: `kubectl virt usb detach ${row.name} ${vm.metadata.name}.${vm.metadata.namespace}`,
  };
}

/** The test on the whole list keeps two people from adding a ninth device, or one device twice. */
function listPatch(vm: VirtualMachine, entry: { name: string }): PatchOperation[] {
  const test = testOf(vm, ['spec', 'usbDevices']);
  return vm.spec.usbDevices
    ? [test, { op: 'add', path: '/spec/usbDevices/-', value: entry }]
    : [test, { op: 'add', path: '/spec/usbDevices', value: [entry] }];
}

function attachedStep(row: DeviceRow, vm: VirtualMachine): WaitStep {
  const { name, namespace = '' } = vm.metadata;
  return {
    kind: 'wait',
    about: `wait until ${row.name} is attached to ${vmText(vm)}`,
    goal: { kind: 'attached', device: objectNameOf(row.name), namespace, vm: name },
    look: `kubectl virt usb show ${row.name}`,
  };
}
