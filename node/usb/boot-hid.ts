// Keyboards and mice, which must not reach the host's input layer on behalf of a claim.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { UsbDevice, UsbInterface } from './device.ts';

/**
 * KEYBOARD_NEEDS_USBFS when an interface is a boot keyboard or mouse (03:01:01, 03:01:02): with a host driver its
 * keys would be typed at the console of this node.
 */
export function refuseBootHid(device: UsbDevice): void {
  const face = device.interfaces.find(isBootHid);
  if (!face) return;
  throw new TypedError(
    'KEYBOARD_NEEDS_USBFS',
    `interface ${face.number} of ${device.busId} is a ${face.protocol === 1 ? 'keyboard' : 'mouse'}`,
    'Claim it with mode usbfs.',
  );
}

function isBootHid(face: UsbInterface): boolean {
  return face.class === 3 && face.subClass === 1 && (face.protocol === 1 || face.protocol === 2);
}
