// OP_REQ_DEVLIST and OP_REP_DEVLIST: "what may I import?".
import { TypedError } from '../../proto/api/typed-error.ts';
import {
  DEVICE_RECORD_SIZE,
  type DeviceRecord,
  decodeDeviceRecord,
  decodeInterfaceRecord,
  encodeDeviceRecord,
  encodeInterfaceRecord,
  INTERFACE_RECORD_SIZE,
  type InterfaceRecord,
} from './device-record.ts';
import { decodeHeader, encodeHeader, expectSize, HEADER_SIZE, OP, STATUS } from './wire.ts';

export interface ListedDevice {
  /** Its `interfaceCount` is taken from `interfaces` when encoded. */
  readonly device: DeviceRecord;
  readonly interfaces: readonly InterfaceRecord[];
}

const COUNT_SIZE = 4;

export function encodeDeviceListRequest(): Buffer {
  return encodeHeader({ op: OP.deviceListRequest, status: 0 });
}

export function encodeDeviceListReply(devices: readonly ListedDevice[]): Buffer {
  const count = Buffer.alloc(COUNT_SIZE);
  count.writeUInt32BE(devices.length);
  return Buffer.concat([
    encodeHeader({ op: OP.deviceListReply, status: STATUS.ok }),
    count,
    ...devices.flatMap(({ device, interfaces }) => [
      encodeDeviceRecord({ ...device, interfaceCount: interfaces.length }),
      ...interfaces.map(encodeInterfaceRecord),
    ]),
  ]);
}

/**
 * A whole reply. PROTOCOL when it is another message, has an error status, is truncated or too long, or counts more
 * devices than its bytes can hold: nothing is allocated by a number that a peer made up.
 */
export function decodeDeviceListReply(bytes: Uint8Array): ListedDevice[] {
  const { op, status } = decodeHeader(bytes.subarray(0, HEADER_SIZE));
  if (op !== OP.deviceListReply) throw new TypedError('PROTOCOL', 'answer to another request');
  if (status !== STATUS.ok) throw new TypedError('PROTOCOL', `device list with status ${status}`);
  const body = bytes.subarray(HEADER_SIZE + COUNT_SIZE);
  const count = expectSize(bytes.subarray(HEADER_SIZE, HEADER_SIZE + COUNT_SIZE), COUNT_SIZE, 'device count');
  const devices: ListedDevice[] = [];
  let offset = 0;
  for (let left = count.readUInt32BE(); left > 0; left--) {
    const listed = decodeListedDevice(body.subarray(offset));
    devices.push(listed);
    offset += DEVICE_RECORD_SIZE + listed.interfaces.length * INTERFACE_RECORD_SIZE;
  }
  expectSize(body, offset, 'device list');
  return devices;
}

function decodeListedDevice(bytes: Uint8Array): ListedDevice {
  const device = decodeDeviceRecord(bytes.subarray(0, DEVICE_RECORD_SIZE));
  const interfaces = Array.from({ length: device.interfaceCount }, (_, index) => {
    const start = DEVICE_RECORD_SIZE + index * INTERFACE_RECORD_SIZE;
    return decodeInterfaceRecord(bytes.subarray(start, start + INTERFACE_RECORD_SIZE));
  });
  return { device, interfaces };
}
