// Why a device cannot be given to somebody now: one clear error each, with the next step.
import { READY_REASONS } from '../../../proto/api/names.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { adviceFor } from '../advice.ts';
import { conditionText, readyOf } from '../condition.ts';
import type { DeviceRow } from '../device-row.ts';

/** The policy blocks it, or offers it to other namespaces only. DEVICE_BLOCKED. */
export function whyBlocked(row: DeviceRow, namespace: string): TypedError | undefined {
  const { device, name } = row;
  if (!device) return undefined;
  if (device.verdict === 'Blocked') {
    const { next } = adviceFor({ ...row, state: 'Blocked' });
    return new TypedError(
      'DEVICE_BLOCKED',
      `${name} is blocked by rule ${device.rule}: ${device.reason}`,
      next,
    );
  }
  if (!device.namespaces || device.namespaces.includes(namespace)) return undefined;
  const offered = device.namespaces.join(', ') || 'no namespace';
  return new TypedError(
    'DEVICE_BLOCKED',
    `${name} is not offered to namespace ${namespace}: rule ${device.rule} offers it to ${offered}`,
    `an administrator can change rule ${device.rule} of the agent`,
  );
}

/** Another namespace has it: never taken away silently. CONFLICT. */
export function whyElsewhere({ name, assignment }: DeviceRow, namespace: string): TypedError | undefined {
  const owner = assignment?.namespace;
  if (owner === undefined || owner === namespace) return undefined;
  const user = assignment?.vms[0];
  return new TypedError(
    'CONFLICT',
    `${name} is assigned to namespace ${owner}${user ? ` and used by vm/${user.name}.${user.namespace}` : ''}`,
    `to move it:\n  kubectl virt usb unassign ${name}\n  kubectl virt usb assign ${name} -n ${namespace}`,
  );
}

/**
 * Somebody else uses it; `vm` (of the namespace it is assigned to) may be the one who does. DEVICE_BUSY. A hold without
 * a VM is a pod's claim; with one it is the VM's own.
 */
export function whyBusy({ name, assignment, hold }: DeviceRow, vm?: string): TypedError | undefined {
  const users = assignment?.vms ?? [];
  const other = users.find((one) => one.name !== vm);
  if (other) {
    return new TypedError(
      'DEVICE_BUSY',
      `${name} is ${other.attached ? 'attached to' : 'in the list of'} vm/${other.name}.${other.namespace}`,
      `kubectl virt usb detach ${name} ${other.name}.${other.namespace}`,
    );
  }
  if (!hold || users.length > 0) return undefined;
  const { claim, pods } = hold;
  const [pod] = pods;
  if (!claim) {
    return new TypedError(
      'DEVICE_BUSY',
      `${name} is used by node ${hold.consumer ?? '<unknown>'}`,
      `see: kubectl virt usb show ${name}`,
    );
  }
  const who = pod ? `pod ${claim.namespace}/${pod.name} through ` : '';
  return new TypedError(
    'DEVICE_BUSY',
    `${name} is held by ${who}claim ${claim.namespace}/${claim.name}`,
    pod
      ? `it becomes free with: kubectl delete pod ${pod.name} -n ${claim.namespace}`
      : `it becomes free with: kubectl delete resourceclaim ${claim.name} -n ${claim.namespace}`,
  );
}

/** Unplugged, unreachable, or another device than was approved. DEVICE_NOT_READY, DEVICE_CHANGED. */
export function whyNotReady(row: DeviceRow): TypedError | undefined {
  const { name, node, state, unreachable, assignment } = row;
  const ready = readyOf(assignment);
  if (ready?.status === 'False' && ready.reason === READY_REASONS.fingerprintChanged) return whyChanged(row);
  if (state === 'Unreachable')
    return new TypedError('DEVICE_NOT_READY', `${name} is not ready: ${unreachable}`, adviceFor(row).next);
  if (state === 'Absent') {
    return new TypedError(
      'DEVICE_NOT_READY',
      `${name} is not plugged into node ${node}`,
      `plug it into node ${node} again`,
    );
  }
  if (ready?.status !== 'False') return undefined;
  return new TypedError(
    'DEVICE_NOT_READY',
    `${name} is not ready: ${conditionText(ready)}`,
    `see: kubectl virt usb show ${name}`,
  );
}

/** A device that says it is another one could have been swapped on purpose (a "bad USB" stick). */
function whyChanged({ name, assignment }: DeviceRow): TypedError {
  const ready = readyOf(assignment);
  return new TypedError(
    'DEVICE_CHANGED',
    `${name} is not the device that was approved: ${ready ? conditionText(ready) : 'its fingerprint changed'}`,
    `look at it with "kubectl virt usb show ${name}"; if it is right: ` +
      `kubectl virt usb assign ${name} -n ${assignment?.namespace} --approve-change`,
  );
}
