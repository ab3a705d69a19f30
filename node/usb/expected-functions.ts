// Which device nodes the drivers of a device are known to make, and which of them are not there yet. Pure.
import type { FunctionNode, UsbDevice, UsbInterface } from './device.ts';

export interface MissingFunction {
  /** Interface folder, e.g. `3-2.1:1.0`. */
  readonly interface: string;
  readonly kind: FunctionNode['kind'];
  /**
   * True when the node is sure to come: its driver is bound, and no other node of this interface is there that could
   * be all there is (a tape drive has sg but no disk; a kernel without sg has only the disk).
   */
  readonly certain: boolean;
}

interface Rule {
  readonly kinds: readonly FunctionNode['kind'][];
  readonly matches: (face: UsbInterface) => boolean;
}

const RULES: readonly Rule[] = [
  { kinds: ['block', 'scsi_generic'], matches: (face) => face.class === 0x08 },
  { kinds: ['hidraw'], matches: (face) => face.class === 0x03 },
  // The control interface of a modem; its data interface has no node of its own.
  { kinds: ['tty'], matches: (face) => face.class === 0x02 && face.subClass === 0x02 },
  { kinds: ['usbmisc'], matches: (face) => face.class === 0x07 },
];

/** Nodes are told by device, not by interface: of each kind there must be as many as interfaces that make it. */
export function missingFunctions(device: UsbDevice): MissingFunction[] {
  const left = new Map<FunctionNode['kind'], number>();
  for (const { kind } of device.functions) left.set(kind, (left.get(kind) ?? 0) + 1);
  return device.interfaces.flatMap((face) => {
    const kinds = RULES.find((rule) => rule.matches(face))?.kinds ?? [];
    const absent = kinds.filter((kind) => !take(left, kind));
    const certain = face.driver !== undefined && absent.length === kinds.length;
    return absent.map((kind) => ({ interface: face.sysfsName, kind, certain }));
  });
}

function take(left: Map<FunctionNode['kind'], number>, kind: FunctionNode['kind']): boolean {
  const count = left.get(kind) ?? 0;
  if (count > 0) left.set(kind, count - 1);
  return count > 0;
}
