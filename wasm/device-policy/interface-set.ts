// Conditions on the set of interfaces of a device: USBGuard's one-of, all-of, none-of and equals.
import type {
  InterfaceTest,
  UsbInterface,
} from '../gen/device-policy/interfaces/virt-device-policy-policy.js';
import { interfacePattern } from './interface-pattern.ts';

/** Throws an Error on a bad pattern and on no pattern at all: that would match every device or none by accident. */
export function interfaceSet(test: InterfaceTest): (faces: UsbInterface[]) => boolean {
  if (test.patterns.length === 0) throw new Error(`with-interface ${test.operator} has no pattern`);
  const patterns = test.patterns.map(interfacePattern);
  const listed = (face: UsbInterface) => patterns.some((matches) => matches(face));
  const allThere = (faces: UsbInterface[]) => patterns.every((matches) => faces.some(matches));
  switch (test.operator) {
    case 'one-of':
      return (faces) => faces.some(listed);
    case 'all-of':
      return allThere;
    case 'none-of':
      return (faces) => !faces.some(listed);
    case 'equals':
      return (faces) => allThere(faces) && faces.every(listed);
  }
}
