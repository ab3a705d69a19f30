// What the decoders of USB/IP messages refuse.
import { describe, expect, it } from 'vitest';
import { isBusId } from '../../../node/usbip/bus-id.ts';
import { decodeDeviceListReply, encodeDeviceListReply } from '../../../node/usbip/device-list-message.ts';
import { decodeDeviceRecord, encodeDeviceRecord } from '../../../node/usbip/device-record.ts';
import { exportedRecord } from '../../../node/usbip/exported-record.ts';
import {
  decodeImportReply,
  decodeImportRequestBody,
  encodeImportReply,
  encodeImportRequest,
} from '../../../node/usbip/import-message.ts';
import { decodeHeader, encodeHeader, OP, STATUS } from '../../../node/usbip/wire.ts';
import { DISK } from '../../support/fake-usb-device.ts';
import { FakeUsbipKernel } from '../../support/fake-usbip-kernel.ts';

const PROTOCOL = expect.objectContaining({ code: 'PROTOCOL' });
const bytes = (hex: string) => Buffer.from(hex, 'hex');
const request = (busId: string) => {
  const body = Buffer.alloc(32);
  body.write(busId, 'latin1');
  return body;
};

function record() {
  const kernel = new FakeUsbipKernel();
  kernel.plug('2-1', DISK);
  const device = kernel.readDevice('2-1');
  if (!device) throw new Error('no device');
  return exportedRecord(device);
}

describe('header', () => {
  it('another version is refused', () => {
    expect(() => decodeHeader(bytes('0106800300000000'))).toThrow(PROTOCOL);
  });

  it('an operation that we do not know is refused, be it one of a private dialect', () => {
    expect(() => decodeHeader(bytes('0111800600000000'))).toThrow(PROTOCOL);
    expect(() => decodeHeader(bytes('0111800200000000'))).toThrow(PROTOCOL);
  });

  it('seven bytes and nine are none', () => {
    expect(() => decodeHeader(bytes('01118003000000'))).toThrow(PROTOCOL);
    expect(() => decodeHeader(bytes('011180030000000000'))).toThrow(PROTOCOL);
  });
});

describe('import request', () => {
  it.each(['../../../etc', 'usb1', '1-0', '1-1/..', '', '1-1:1.0', '-1', '1-1.', 'a-1', '1-1 '])(
    'refuses %j, which is no bus id',
    (busId) => {
      expect(() => decodeImportRequestBody(request(busId))).toThrow(PROTOCOL);
    },
  );

  it('refuses a bus id without an end', () => {
    expect(() => decodeImportRequestBody(Buffer.alloc(32, '1'))).toThrow(PROTOCOL);
  });

  it('does not look at what stands behind the end of the bus id', () => {
    const body = request('1-1');
    body.fill(0xff, 4);
    expect(decodeImportRequestBody(body)).toBe('1-1');
  });

  it('cuts nothing from the longest bus id', () => {
    const longest = '10-31.31.31.31.31.31';
    expect(isBusId(longest)).toBe(true);
    expect(decodeImportRequestBody(encodeImportRequest(longest).subarray(8))).toBe(longest);
  });
});

describe('import reply', () => {
  it('refuses a body behind an error, as one dialect sends it', () => {
    const reply = Buffer.concat([encodeImportReply({ status: STATUS.busy }), Buffer.alloc(312)]);
    expect(() => decodeImportReply(reply)).toThrow(PROTOCOL);
  });

  it('refuses the answer to another request', () => {
    expect(() => decodeImportReply(encodeHeader({ op: OP.deviceListReply, status: 0 }))).toThrow(PROTOCOL);
  });
});

describe('device record', () => {
  it('has the fields of the device', () => {
    expect(decodeDeviceRecord(encodeDeviceRecord(record()))).toMatchObject({
      busId: '2-1',
      busNumber: 2,
      speed: 5,
      vendorId: 0x46f4,
      configurationValue: 1,
      interfaceCount: 1,
    });
  });

  it('keeps its size when the path is too long', () => {
    const encoded = encodeDeviceRecord({ ...record(), path: '/x'.repeat(300) });
    expect(encoded).toHaveLength(312);
    expect(decodeDeviceRecord(encoded).path).toHaveLength(255);
  });

  it('refuses a path without an end', () => {
    const encoded = encodeDeviceRecord(record());
    encoded.fill(0x2f, 0, 256);
    expect(() => decodeDeviceRecord(encoded)).toThrow(PROTOCOL);
  });
});

describe('device list reply', () => {
  it('that claims 2^32-1 devices is refused at once', () => {
    expect(() => decodeDeviceListReply(bytes('0111000500000000ffffffff'))).toThrow(PROTOCOL);
  });

  it('that claims one device more than it has is refused', () => {
    const reply = encodeDeviceListReply([{ device: record(), interfaces: [] }]);
    reply.writeUInt32BE(2, 8);
    expect(() => decodeDeviceListReply(reply)).toThrow(PROTOCOL);
  });

  it('that claims one interface more than it has is refused', () => {
    const reply = encodeDeviceListReply([{ device: record(), interfaces: [] }]);
    reply[12 + 311] = 1;
    expect(() => decodeDeviceListReply(reply)).toThrow(PROTOCOL);
  });

  it('with the code of a request, as one dialect sends it, is refused', () => {
    expect(() => decodeDeviceListReply(bytes('011180050000000000000000'))).toThrow(PROTOCOL);
  });

  it('with an error status is refused', () => {
    expect(() => decodeDeviceListReply(bytes('011100050000000100000000'))).toThrow(PROTOCOL);
  });

  it('counts the interfaces that are there, whatever the record says', () => {
    const listed = { device: { ...record(), interfaceCount: 9 }, interfaces: [] };
    expect(decodeDeviceListReply(encodeDeviceListReply([listed]))[0]?.device.interfaceCount).toBe(0);
  });
});

describe('speed', () => {
  it.each([
    [1.5, 1],
    [12, 2],
    [480, 3],
    [5000, 5],
    [10_000, 6],
    [20_000, 6],
    [53, 0],
  ])('of %d Mb/s is %d', (speed, wire) => {
    const kernel = new FakeUsbipKernel();
    kernel.plug('2-1', { ...DISK, speed });
    const device = kernel.readDevice('2-1');
    expect(device && exportedRecord(device).speed).toBe(wire);
  });
});
