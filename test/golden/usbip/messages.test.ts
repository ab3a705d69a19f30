// The bytes of USB/IP messages as the kernel's documentation and the stock tools have them.
import { describe, expect, it } from 'vitest';
import {
  decodeDeviceListReply,
  encodeDeviceListReply,
  encodeDeviceListRequest,
} from '../../../node/usbip/device-list-message.ts';
import type { DeviceRecord } from '../../../node/usbip/device-record.ts';
import {
  decodeImportReply,
  encodeImportReply,
  encodeImportRequest,
} from '../../../node/usbip/import-message.ts';

const DISK: DeviceRecord = {
  path: '/sys/devices/platform/dummy_hcd.0/usb2/2-1',
  busId: '2-1',
  busNumber: 2,
  deviceNumber: 5,
  speed: 5,
  vendorId: 0x46f4,
  productId: 0x0001,
  bcdDevice: 0x0320,
  deviceClass: 0,
  deviceSubClass: 0,
  deviceProtocol: 0,
  configurationValue: 1,
  configurationCount: 1,
  interfaceCount: 1,
};

const text = (content: string, size: number) =>
  Buffer.from(content, 'latin1')
    .toString('hex')
    .padEnd(size * 2, '0');

const RECORD = [
  text('/sys/devices/platform/dummy_hcd.0/usb2/2-1', 256),
  text('2-1', 32),
  '00000002', // busnum
  '00000005', // devnum
  '00000005', // speed: super
  '46f4', // idVendor
  '0001', // idProduct
  '0320', // bcdDevice
  '000000', // class, subclass, protocol
  '01', // bConfigurationValue
  '01', // bNumConfigurations
  '01', // bNumInterfaces
].join('');

describe('USB/IP messages', () => {
  it('an import request is 40 bytes', () => {
    expect(encodeImportRequest('3-2.1').toString('hex')).toBe(`0111800300000000${text('3-2.1', 32)}`);
  });

  it('an import reply is a header and a device record', () => {
    expect(encodeImportReply({ device: DISK }).toString('hex')).toBe(`0111000300000000${RECORD}`);
    expect(decodeImportReply(Buffer.from(`0111000300000000${RECORD}`, 'hex'))).toEqual({ device: DISK });
  });

  it('an import reply with an error is eight bytes', () => {
    expect(encodeImportReply({ status: 2 }).toString('hex')).toBe('0111000300000002');
    expect(decodeImportReply(Buffer.from('0111000300000004', 'hex'))).toEqual({ status: 4 });
  });

  it('a device list request is a header', () => {
    expect(encodeDeviceListRequest().toString('hex')).toBe('0111800500000000');
  });

  it('a device list reply has the code of a reply, a count, records and their interfaces', () => {
    const listed = [{ device: DISK, interfaces: [{ class: 8, subClass: 6, protocol: 0x50 }] }];
    const bytes = `011100050000000000000001${RECORD}08065000`;
    expect(encodeDeviceListReply(listed).toString('hex')).toBe(bytes);
    expect(decodeDeviceListReply(Buffer.from(bytes, 'hex'))).toEqual(listed);
  });

  it('an empty device list is twelve bytes', () => {
    expect(encodeDeviceListReply([]).toString('hex')).toBe('011100050000000000000000');
  });
});
