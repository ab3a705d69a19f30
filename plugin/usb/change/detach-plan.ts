// How a device is taken from the virtual machine that uses it.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import { asksFor, has, objectNameOf } from '../assignment.ts';
import type { DeviceRow } from '../device-row.ts';
import { nodeUsbDeviceOf } from './assign-plan.ts';
import { whyBusy } from './device-refusal.ts';
import type { Plan } from './plan.ts';
import type { PatchStep, Step, WaitStep } from './step.ts';
import { vmObject, vmText } from './vm.ts';

export interface DetachFacts {
  readonly row: DeviceRow;
  /** Where it is looked for: one VM when the person named it. */
  readonly vms: readonly VirtualMachine[];
  /** The person named the VM. */
  readonly named: boolean;
  readonly agreed: boolean;
}

/** Throws AMBIGUOUS when several VMs ask for it, and DEVICE_BUSY when somebody else than these VMs holds it. */
export function planDetach({ row, vms, named, agreed }: DetachFacts): Plan {
  const device = objectNameOf(row.name);
  const owner = row.assignment?.namespace;
  const users = vms
    .filter((vm) => asksFor(vm, device) || has(vm, device))
    // Elsewhere than where it is assigned the name in a list means nothing, but may be cleaned away.
    .filter(({ metadata }) => named || owner === undefined || metadata.namespace === owner);
  const [vm, ...others] = users;
  if (!vm) return notAttached(row, named ? vms[0] : undefined);
  if (others.length > 0) {
    throw new TypedError(
      'AMBIGUOUS',
      `${users.length} virtual machines have ${row.name} in their list`,
      `say which one: ${users.map(vmText).join(', ')}`,
    );
  }
  if (asksFor(vm, device) && has(vm, device) && !agreed) return mayItBeTaken(row, vm);
  const unlisting: Step[] = asksFor(vm, device) ? [unlistStep(row, vm, device)] : [];
  return {
    kind: 'steps',
    object: vmObject(vm),
    summary: `${row.name} is detached from ${vmText(vm)}`,
    requested: `${row.name} is to be detached from ${vmText(vm)}`,
    steps: [...unlisting, detachedStep(row, vm, device)],
  };
}

/** To whom nothing was to be done is fine; that somebody else has it is what the person must know. */
function notAttached(row: DeviceRow, vm: VirtualMachine | undefined): Plan {
  const busy = whyBusy(row);
  if (busy) throw busy;
  const where = vm ? vmText(vm) : 'any virtual machine';
  return {
    kind: 'done',
    object: vm ? vmObject(vm) : nodeUsbDeviceOf(row),
    summary: `${row.name} is not attached to ${where}`,
  };
}

function mayItBeTaken({ name }: DeviceRow, vm: VirtualMachine): Plan {
  return {
    kind: 'question',
    question: `${vmText(vm)} uses ${name}, and loses it at once. Detach it?`,
    unasked: new TypedError(
      'USAGE',
      `${vmText(vm)} uses ${name}, and would lose it at once`,
      'repeat with --yes to detach it',
    ),
  };
}

/** The test on the entry itself leaves others free to change the rest of the list. */
function unlistStep(row: DeviceRow, vm: VirtualMachine, device: string): PatchStep {
  const list = vm.spec.usbDevices ?? [];
  const index = list.findIndex(({ name }) => name === device);
  const path = `/spec/usbDevices/${index}`;
  return {
    kind: 'patch',
    about: `take ${row.name} from the list of ${vmText(vm)}`,
    ...vmObject(vm),
    patch: [
      { op: 'test', path, value: list[index] },
      { op: 'remove', path },
    ],
    undo: `kubectl virt usb attach ${row.name} ${vm.metadata.name}.${vm.metadata.namespace}`,
  };
}

function detachedStep(row: DeviceRow, vm: VirtualMachine, device: string): WaitStep {
  const { name, namespace = '' } = vm.metadata;
  return {
    kind: 'wait',
    about: `wait until ${row.name} is detached from ${vmText(vm)}`,
    goal: { kind: 'detached', device, namespace, vm: name },
    look: `kubectl virt usb show ${row.name}`,
  };
}
