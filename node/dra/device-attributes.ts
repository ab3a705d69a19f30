// A device in a ResourceSlice: how its description becomes attributes, and what an importer reads back. Pure.
import { createHash } from 'node:crypto';
import type { UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';
import type { DeviceAttribute, DeviceTaint, SliceDevice } from '../../proto/api/resource.ts';
import type { UsbDevice } from '../usb/device.ts';
import type { DeviceTarget } from './device-access.ts';

/** An inventory entry is one. */
export interface PublishedDevice {
  readonly device: Pick<UsbDevice, 'busNumber' | 'deviceNumber' | 'node'>;
  readonly status: UsbDeviceStatus;
  readonly taints?: readonly DeviceTaint[];
}

/** DeviceAttributeMaxValueLength of resource.k8s.io/v1 counts bytes. */
const LONGEST = 64;

const FINGERPRINT_PREFIX = 'sha256:';

/** The longest beginning of `text` that has at most `bytes` bytes of UTF-8 and ends between two characters. */
export function cutText(text: string, bytes: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return buffer.toString();
  let end = bytes;
  // Bytes 10xxxxxx continue a character.
  while (((buffer[end] ?? 0) & 0xc0) === 0x80) end--;
  return buffer.toString('utf8', 0, end);
}

/** Two long identities that begin alike stay different: the end is replaced by a hash of the whole. */
export function identityAttribute(identity: string): string {
  if (Buffer.byteLength(identity) <= LONGEST) return identity;
  const hash = createHash('sha256').update(identity).digest('hex');
  return `${cutText(identity, 31)}~${hash.slice(0, 32)}`;
}

function decimal(number: number): string {
  return String(number).padStart(3, '0');
}

function strings(texts: Record<string, string | undefined>): Record<string, DeviceAttribute> {
  const given = Object.entries(texts).filter(([, text]) => text !== undefined && text !== '');
  return Object.fromEntries(given.map(([key, text = '']) => [key, { string: cutText(text, LONGEST) }]));
}

/** Attribute names without a domain belong to the driver's. The first sixteen are those of the former component. */
export function sliceDevice({ device, status, taints = [] }: PublishedDevice): SliceDevice {
  const { busNumber, deviceNumber, node } = device;
  return {
    name: status.name,
    attributes: {
      ...strings({
        name: status.name,
        path: `/sys/bus/usb/devices/${status.busID}`,
        busID: status.busID,
        manufacturer: status.manufacturer,
        product: status.product,
        serial: status.serial,
        vendorID: status.vendorID,
        productID: status.productID,
        bcd: status.bcd,
        bus: decimal(busNumber),
        deviceNumber: decimal(deviceNumber),
        devicePath: status.devicePath,
        usbAddress: `${decimal(busNumber)}:${decimal(deviceNumber)}`,
        identity: identityAttribute(status.identity),
        // The bare digits fill the limit exactly.
        fingerprint: status.fingerprint.slice(FINGERPRINT_PREFIX.length),
        class: status.class,
      }),
      major: { int: node.major },
      minor: { int: node.minor },
      // Mb/s; low speed is 1.5, and the attribute is an integer.
      speed: { int: Math.floor(status.speed) },
    },
    ...(taints.length > 0 && { taints: [...taints] }),
  };
}

/**
 * What an importer must find at the other end: a long serial comes as it was cut. Undefined when the attributes do not
 * say enough.
 */
export function targetOf(
  device: SliceDevice,
): Pick<DeviceTarget, 'busId' | 'vendorId' | 'productId' | 'serial' | 'fingerprint'> | undefined {
  const text = (key: string) => {
    const attribute = device.attributes?.[key];
    return attribute && 'string' in attribute ? attribute.string : undefined;
  };
  const busId = text('busID');
  const vendorId = Number.parseInt(text('vendorID') ?? '', 16);
  const productId = Number.parseInt(text('productID') ?? '', 16);
  if (!busId || Number.isNaN(vendorId) || Number.isNaN(productId)) return undefined;
  const serial = text('serial');
  const fingerprint = text('fingerprint');
  return {
    busId,
    vendorId,
    productId,
    ...(serial !== undefined && { serial }),
    ...(fingerprint !== undefined && { fingerprint: `${FINGERPRINT_PREFIX}${fingerprint}` }),
  };
}
