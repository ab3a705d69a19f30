// How a device is assigned to a namespace: which checks, which patch, what to wait for.
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { PatchOperation } from '../../../proto/kube/memory/json-patch.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { objectNameOf } from '../assignment.ts';
import { conditionOf } from '../condition.ts';
import type { DeviceRow } from '../device-row.ts';
import { whyBlocked, whyBusy, whyElsewhere, whyNotReady } from './device-refusal.ts';
import { testOf } from './guarded-patch.ts';
import type { Plan } from './plan.ts';
import type { ObjectAddress, PatchStep, WaitStep } from './step.ts';

export interface AssignFacts {
  readonly row: DeviceRow;
  readonly namespace: string;
  /** The device as it is now is the right one, whatever was approved before. */
  readonly approves: boolean;
  /** A person knows that an equal device could take its place. */
  readonly agreed: boolean;
}

/** Throws the refusal: DEVICE_BLOCKED, CONFLICT, DEVICE_BUSY, DEVICE_NOT_READY, DEVICE_CHANGED, NOT_FOUND. */
export function planAssign({ row, namespace, approves, agreed }: AssignFacts): Plan {
  const refusal = whyBlocked(row, namespace) ?? whyElsewhere(row, namespace);
  if (refusal) throw refusal;
  const outcome = {
    object: nodeUsbDeviceOf(row),
    summary: `${row.name} is assigned to namespace ${namespace}`,
    requested: `${row.name} is to be assigned to namespace ${namespace}`,
  };
  const fingerprint = approves ? presentFingerprint(row) : undefined;
  const wait = assignedStep(row, namespace);
  if (row.assignment?.namespace !== namespace) {
    if (row.device?.identityForm === 'port' && !agreed) return mayThePortBeAssigned(row, namespace);
    const steps = [assignStep(row, namespace, fingerprint), wait];
    return { kind: 'steps', steps, ...outcome };
  }
  if (fingerprint !== undefined && fingerprint !== approvedFingerprint(row)) {
    return { kind: 'steps', steps: [approveStep(row, fingerprint), wait], ...outcome };
  }
  const unready = whyNotReady(row);
  if (unready) throw unready;
  // An assignment that somebody began, or that waits for a VM of the former namespace.
  if (conditionOf(row.assignment.nodeUsbDevice, 'Assigned')?.status !== 'True')
    return { kind: 'steps', steps: [wait], ...outcome };
  return { kind: 'done', ...outcome };
}

/** Without a serial number of its own, a device is known by its port and its kind only. */
function mayThePortBeAssigned({ name, device }: DeviceRow, namespace: string): Plan {
  const why = `${name} is known by its port (${device?.port}): an equal device plugged in there takes its place`;
  return {
    kind: 'question',
    question: `${why}. Assign it to namespace ${namespace} all the same?`,
    unasked: new TypedError('USAGE', why, 'repeat with --yes to assign it all the same'),
  };
}

/** The assignment alone, for plans that assign on the way. Throws DEVICE_BUSY and NOT_FOUND. */
export function assignStep(row: DeviceRow, namespace: string, fingerprint?: string): PatchStep {
  // What a pod of the same namespace holds stays with it; the template would only hand out what is free.
  const busy = row.hold?.claim?.namespace === namespace ? undefined : whyBusy(row);
  if (busy) throw busy;
  const object = objectOf(row);
  const old = object.spec.fingerprint;
  return {
    kind: 'patch',
    about: `assign ${row.name} to namespace ${namespace}`,
    ...nodeUsbDeviceOf(row),
    patch: [
      testOf(object, ['spec', 'assignedNamespace']),
      { op: 'add', path: '/spec/assignedNamespace', value: namespace },
      // An approval of a former assignment must not speak for this one.
      ...(fingerprint !== undefined ? approval(object, fingerprint) : old ? approval(object, '') : []),
    ],
    undo: `kubectl virt usb unassign ${row.name}`,
  };
}

/** Ready in the namespace means that its VMs and pods can use it at once. */
export function assignedStep(row: DeviceRow, namespace: string): WaitStep {
  return {
    kind: 'wait',
    about: `wait until ${row.name} is ready in namespace ${namespace}`,
    goal: { kind: 'assigned', device: objectNameOf(row.name), namespace },
    look: `kubectl virt usb show ${row.name}`,
  };
}

/** Where the assignment is kept; the object need not be there. */
export function nodeUsbDeviceOf(row: DeviceRow): ObjectAddress {
  return { type: RESOURCE_TYPES.nodeUsbDevices, key: { name: objectNameOf(row.name) } };
}

/** The NodeUSBDevice itself; throws NOT_FOUND when the controller has made none. */
export function objectOf({ name, assignment }: DeviceRow): NodeUsbDevice {
  if (assignment?.nodeUsbDevice) return assignment.nodeUsbDevice;
  throw new TypedError(
    'NOT_FOUND',
    `${name} has no NodeUSBDevice object`,
    'the controller makes it when a node offers the device; see: kubectl get deployment,pods -A -l app=usb-controller',
  );
}

/** Undone by giving the device up: what was approved before is not the device that is there. */
function approveStep(row: DeviceRow, fingerprint: string): PatchStep {
  return {
    kind: 'patch',
    about: `approve ${row.name} as it is now (${fingerprint})`,
    ...nodeUsbDeviceOf(row),
    patch: approval(objectOf(row), fingerprint),
    undo: `kubectl virt usb unassign ${row.name}`,
  };
}

/** Tests what is plugged in, so that only what was seen is approved. */
function approval(object: NodeUsbDevice, fingerprint: string): PatchOperation[] {
  return [
    testOf(object, ['spec', 'fingerprint']),
    ...(fingerprint !== '' && object.status?.fingerprint !== undefined
      ? [testOf(object, ['status', 'fingerprint'])]
      : []),
    { op: 'add', path: '/spec/fingerprint', value: fingerprint },
  ];
}

/** The controller's word comes first: it is what the approval is compared with. Throws DEVICE_NOT_READY. */
function presentFingerprint(row: DeviceRow): string {
  const present = objectOf(row).status?.fingerprint ?? row.device?.fingerprint;
  if (present !== undefined && row.device) return present;
  throw new TypedError(
    'DEVICE_NOT_READY',
    `${row.name} is not plugged into node ${row.node}: there is nothing to approve`,
    `plug it into node ${row.node} and repeat`,
  );
}

/** An explicit approval is stronger than what was plugged in when the device was assigned. */
function approvedFingerprint({ assignment }: DeviceRow): string | undefined {
  const { spec, status } = assignment?.nodeUsbDevice ?? {};
  return spec?.fingerprint || status?.pinnedFingerprint;
}
