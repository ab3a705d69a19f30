// Patterns over USB interfaces, `cc:ss:pp` with `*` for any value of a part: USBGuard's notation.
import type { UsbInterface } from '../gen/device-policy/interfaces/virt-device-policy-policy.js';

export type InterfaceCheck = (face: UsbInterface) => boolean;

const PATTERN = /^(?:[0-9a-f]{2}|\*)(?::(?:[0-9a-f]{2}|\*)){2}$/;

/** Throws an Error with the allowed form when the pattern has another one. */
export function interfacePattern(pattern: string): InterfaceCheck {
  const parts = pattern.toLowerCase();
  if (!PATTERN.test(parts)) {
    throw new Error(`bad interface pattern "${pattern}": use cc:ss:pp, two hexadecimal digits or * each`);
  }
  const [cc, ss, pp] = parts.split(':').map((part) => (part === '*' ? undefined : Number.parseInt(part, 16)));
  return (face) =>
    (cc === undefined || cc === face.class) &&
    (ss === undefined || ss === face.subClass) &&
    (pp === undefined || pp === face.protocol);
}

/** An interface as a pattern that matches only its like, e.g. `03:01:01`. */
export function interfaceText(face: UsbInterface): string {
  return [face.class, face.subClass, face.protocol]
    .map((part) => part.toString(16).padStart(2, '0'))
    .join(':');
}
