// The devices of this node as the rest of the agent sees them: read, named and judged. Pure.
import type { UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';
import type { UsbDevice } from './device.ts';
import type { NodeUse } from './node-use.ts';

/** One device with everything that was decided about it. */
export interface InventoryEntry {
  readonly device: UsbDevice;
  readonly use: NodeUse;
  readonly status: UsbDeviceStatus;
}

/** What the naming step decided about one device. */
export interface NamedDevice {
  readonly device: UsbDevice;
  readonly name: string;
  readonly identity: string;
  readonly identityForm: 'serial' | 'port';
  readonly duplicateSerial: boolean;
  readonly fingerprint: string;
  readonly descriptorsHash?: string;
}

/** What the policy decided about one device. */
export interface Verdict {
  readonly verdict: 'Offered' | 'Blocked';
  readonly namespaces?: readonly string[];
  readonly rule: string;
  readonly reason: string;
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');

/**
 * The published description of a device. `pluggedAt` is RFC 3339; it is carried over from the former inventory, so
 * that it tells when the device was plugged and not when it was last read.
 */
export function deviceStatus(named: NamedDevice, verdict: Verdict, pluggedAt: string): UsbDeviceStatus {
  const { device } = named;
  return {
    name: named.name,
    identity: named.identity,
    identityForm: named.identityForm,
    ...(named.duplicateSerial && { duplicateSerial: true }),
    fingerprint: named.fingerprint,
    ...(named.descriptorsHash !== undefined && { descriptorsHash: named.descriptorsHash }),
    busID: device.busId,
    port: device.portPath,
    vendorID: hex(device.vendorId, 4),
    productID: hex(device.productId, 4),
    bcd: hex(device.bcdDevice, 4),
    ...(device.manufacturer !== undefined && { manufacturer: device.manufacturer }),
    ...(device.product !== undefined && { product: device.product }),
    ...(device.serial !== undefined && { serial: device.serial }),
    speed: device.speed,
    class: hex(device.deviceClass, 2),
    interfaces: device.interfaces.map((face) => ({
      number: face.number,
      class: hex(face.class, 2),
      subClass: hex(face.subClass, 2),
      protocol: hex(face.protocol, 2),
    })),
    devicePath: device.node.path,
    verdict: verdict.verdict,
    ...(verdict.namespaces !== undefined && { namespaces: [...verdict.namespaces] }),
    rule: verdict.rule,
    reason: verdict.reason,
    pluggedAt,
  };
}

/** When each device was plugged, by name: kept while it stays plugged, `now` for a newcomer. */
export function plugTimes(
  former: readonly InventoryEntry[],
  names: readonly string[],
  now: string,
): ReadonlyMap<string, string> {
  const known = new Map(former.map((entry) => [entry.status.name, entry.status.pluggedAt]));
  return new Map(names.map((name) => [name, known.get(name) ?? now]));
}
