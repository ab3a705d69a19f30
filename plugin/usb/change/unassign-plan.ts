// How a device is taken back from its namespace.
import { TypedError } from '../../../proto/api/typed-error.ts';
import { objectNameOf } from '../assignment.ts';
import type { DeviceRow } from '../device-row.ts';
import { nodeUsbDeviceOf, objectOf } from './assign-plan.ts';
import { testOf } from './guarded-patch.ts';
import type { Plan } from './plan.ts';
import type { PatchStep, WaitStep } from './step.ts';

/** `agreed`: a person knows that somebody uses it. Throws NOT_FOUND. */
export function planUnassign(row: DeviceRow, agreed: boolean): Plan {
  const { name, assignment } = row;
  const namespace = assignment?.namespace;
  const object = nodeUsbDeviceOf(row);
  if (namespace === undefined)
    return { kind: 'done', object, summary: `${name} is assigned to no namespace` };
  const user = userOf(row);
  if (user !== undefined && !agreed) {
    return {
      kind: 'question',
      question: `${name} is used by ${user.text}, which ${user.keeps}. Take it from namespace ${namespace}?`,
      unasked: new TypedError(
        'USAGE',
        `${name} is used by ${user.text}, which ${user.keeps}`,
        'repeat with --yes to take it all the same',
      ),
    };
  }
  return {
    kind: 'steps',
    object,
    summary: `${name} is assigned to no namespace`,
    requested: `${name} is to be taken from namespace ${namespace}`,
    steps: [unassignStep(row, namespace), unassignedStep(row, namespace)],
  };
}

interface User {
  readonly text: string;
  /** What becomes of its use, as the end of a sentence. */
  readonly keeps: string;
}

const UNTIL_DELETED = 'keeps it until it is deleted';

/** A pod's claim, or a VM that asks for the device or has it. */
function userOf({ assignment, hold }: DeviceRow): User | undefined {
  const [vm] = assignment?.vms ?? [];
  if (vm) return { text: `vm/${vm.name}.${vm.namespace}`, keeps: 'keeps it until it is detached' };
  if (!hold) return undefined;
  const [pod] = hold.pods;
  const keeps = UNTIL_DELETED;
  if (pod && hold.claim) return { text: `pod ${hold.claim.namespace}/${pod.name}`, keeps };
  if (hold.claim) return { text: `claim ${hold.claim.namespace}/${hold.claim.name}`, keeps };
  return { text: `node ${hold.consumer}`, keeps: 'keeps it until it lets go' };
}

/** The approved fingerprint goes too: the next assignment is a new decision. */
function unassignStep(row: DeviceRow, namespace: string): PatchStep {
  const object = objectOf(row);
  return {
    kind: 'patch',
    about: `take ${row.name} from namespace ${namespace}`,
    ...nodeUsbDeviceOf(row),
    patch: [
      testOf(object, ['spec', 'assignedNamespace']),
      { op: 'add', path: '/spec/assignedNamespace', value: '' },
      ...(object.spec.fingerprint ? [{ op: 'add', path: '/spec/fingerprint', value: '' } as const] : []),
    ],
    undo: `kubectl virt usb assign ${row.name} -n ${namespace}`,
  };
}

/** The USBDevice goes last: while a VM has the device, its finalizer keeps it. */
function unassignedStep(row: DeviceRow, namespace: string): WaitStep {
  return {
    kind: 'wait',
    about: `wait until ${row.name} is gone from namespace ${namespace}`,
    goal: { kind: 'unassigned', device: objectNameOf(row.name), namespace },
    look: `kubectl virt usb show ${row.name}`,
  };
}
