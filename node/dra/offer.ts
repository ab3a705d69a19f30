// Whether the policy lets a namespace have a device of this node. Pure.
import type { UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';

/** Throws DEVICE_BLOCKED with the rule and its reason. */
export function checkOffered(device: UsbDeviceStatus, namespace: string): void {
  const { name, busID, verdict, namespaces, rule, reason } = device;
  const what = `device ${name} (${busID})`;
  if (verdict === 'Blocked') {
    throw new TypedError(
      'DEVICE_BLOCKED',
      `${what} is blocked by rule ${rule}: ${reason}`,
      rule.startsWith('built-in/')
        ? 'no rule can allow that; kubectl virt usb show says what to do'
        : 'an administrator can allow it with a rule of the agent',
    );
  }
  if (namespaces !== undefined && !namespaces.includes(namespace)) {
    throw new TypedError(
      'DEVICE_BLOCKED',
      `${what} is not offered to namespace ${namespace} by rule ${rule}: ${reason}`,
      `it is offered to: ${namespaces.join(', ') || 'none'}`,
    );
  }
}
