// Conditions of NodeUSBDevices and USBDevices.
import type { Condition } from '../../proto/api/gen/condition.ts';
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import type { Assignment } from './assignment.ts';

/** The list of the API is plain: of two of one type, the first counts. */
export function conditionOf(
  object: NodeUsbDevice | UsbDevice | undefined,
  type: 'Ready' | 'Assigned' | 'Attached',
): Condition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}

/** The administrators' object knows more than its mirror in the namespace, which everybody may see. */
export function readyOf(assignment: Assignment | undefined): Condition | undefined {
  return conditionOf(assignment?.nodeUsbDevice, 'Ready') ?? conditionOf(assignment?.usbDevice, 'Ready');
}

/** `FingerprintChanged: another device is plugged in`; the reason alone when there is no message. */
export function conditionText({ reason, message }: Condition): string {
  return message ? `${reason}: ${message}` : reason;
}
