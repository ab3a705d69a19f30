// The 312 bytes that describe an exported device, and the four that describe one of its interfaces.
import { TypedError } from '../../proto/api/typed-error.ts';
import { expectSize } from './wire.ts';

export const DEVICE_RECORD_SIZE = 312;
export const INTERFACE_RECORD_SIZE = 4;

export interface DeviceRecord {
  /** sysfs folder on the owner. */
  readonly path: string;
  readonly busId: string;
  readonly busNumber: number;
  readonly deviceNumber: number;
  /** enum usb_device_speed: 1 low, 2 full, 3 high, 4 wireless, 5 super, 6 super plus. */
  readonly speed: number;
  readonly vendorId: number;
  readonly productId: number;
  readonly bcdDevice: number;
  readonly deviceClass: number;
  readonly deviceSubClass: number;
  readonly deviceProtocol: number;
  readonly configurationValue: number;
  readonly configurationCount: number;
  readonly interfaceCount: number;
}

export interface InterfaceRecord {
  readonly class: number;
  readonly subClass: number;
  readonly protocol: number;
}

const PATH = { offset: 0, size: 256 };
const BUS_ID = { offset: 256, size: 32 };

/** Too long a path is cut: importers print it and do nothing else with it. */
export function encodeDeviceRecord(record: DeviceRecord): Buffer {
  const bytes = Buffer.alloc(DEVICE_RECORD_SIZE);
  bytes.write(record.path, PATH.offset, PATH.size - 1, 'utf8');
  bytes.write(record.busId, BUS_ID.offset, BUS_ID.size - 1, 'latin1');
  bytes.writeUInt32BE(record.busNumber, 288);
  bytes.writeUInt32BE(record.deviceNumber, 292);
  bytes.writeUInt32BE(record.speed, 296);
  bytes.writeUInt16BE(record.vendorId, 300);
  bytes.writeUInt16BE(record.productId, 302);
  bytes.writeUInt16BE(record.bcdDevice, 304);
  bytes[306] = record.deviceClass;
  bytes[307] = record.deviceSubClass;
  bytes[308] = record.deviceProtocol;
  bytes[309] = record.configurationValue;
  bytes[310] = record.configurationCount;
  bytes[311] = record.interfaceCount;
  return bytes;
}

/** PROTOCOL when the length is wrong or a text is not ended by NUL. */
export function decodeDeviceRecord(bytes: Uint8Array): DeviceRecord {
  const view = expectSize(bytes, DEVICE_RECORD_SIZE, 'device record');
  return {
    path: decodeText(view.subarray(PATH.offset, PATH.offset + PATH.size), 'path'),
    busId: decodeText(view.subarray(BUS_ID.offset, BUS_ID.offset + BUS_ID.size), 'bus id'),
    busNumber: view.readUInt32BE(288),
    deviceNumber: view.readUInt32BE(292),
    speed: view.readUInt32BE(296),
    vendorId: view.readUInt16BE(300),
    productId: view.readUInt16BE(302),
    bcdDevice: view.readUInt16BE(304),
    deviceClass: view.readUInt8(306),
    deviceSubClass: view.readUInt8(307),
    deviceProtocol: view.readUInt8(308),
    configurationValue: view.readUInt8(309),
    configurationCount: view.readUInt8(310),
    interfaceCount: view.readUInt8(311),
  };
}

export function encodeInterfaceRecord(record: InterfaceRecord): Buffer {
  return Buffer.of(record.class, record.subClass, record.protocol, 0);
}

/** The fourth byte is padding with any value. */
export function decodeInterfaceRecord(bytes: Uint8Array): InterfaceRecord {
  const view = expectSize(bytes, INTERFACE_RECORD_SIZE, 'interface record');
  return { class: view.readUInt8(0), subClass: view.readUInt8(1), protocol: view.readUInt8(2) };
}

/** The text before the first NUL; what follows it is not looked at, as senders need not clear it. */
export function decodeText(field: Buffer, what: string): string {
  const end = field.indexOf(0);
  if (end < 0) throw new TypedError('PROTOCOL', `${what} without an end`);
  return field.toString('utf8', 0, end);
}
