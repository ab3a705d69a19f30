// Codecs of USB/IP: what was encoded is decoded, and nothing else is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBusId } from '../../../node/usbip/bus-id.ts';
import { decodeDeviceListReply, encodeDeviceListReply } from '../../../node/usbip/device-list-message.ts';
import { decodeDeviceRecord, encodeDeviceRecord } from '../../../node/usbip/device-record.ts';
import {
  decodeImportReply,
  decodeImportRequestBody,
  encodeImportReply,
  encodeImportRequest,
} from '../../../node/usbip/import-message.ts';
import { decodeHeader, encodeHeader, HEADER_SIZE, OP, STATUS } from '../../../node/usbip/wire.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';

const u8 = fc.nat(0xff);
const u16 = fc.nat(0xffff);
const u32 = fc.nat(0xffffffff);
const busId = fc
  .tuple(
    fc.integer({ min: 1, max: 999 }),
    fc.array(fc.integer({ min: 1, max: 31 }), { minLength: 1, maxLength: 6 }),
  )
  .map(([bus, ports]) => `${bus}-${ports.join('.')}`);
const path = fc.stringMatching(/^[a-z0-9/:.-]{0,255}$/);
const device = fc.record({
  path,
  busId,
  busNumber: u32,
  deviceNumber: u32,
  speed: u32,
  vendorId: u16,
  productId: u16,
  bcdDevice: u16,
  deviceClass: u8,
  deviceSubClass: u8,
  deviceProtocol: u8,
  configurationValue: u8,
  configurationCount: u8,
  interfaceCount: u8,
});
const face = fc.record({ class: u8, subClass: u8, protocol: u8 });
const listed = fc
  .tuple(device, fc.array(face, { maxLength: 8 }))
  .map(([record, interfaces]) => ({ device: { ...record, interfaceCount: interfaces.length }, interfaces }));

/** Runs a decoder over anything: it returns, or throws PROTOCOL. */
function decodesOrRefuses(decode: (bytes: Uint8Array) => unknown, bytes: Uint8Array): boolean {
  try {
    decode(bytes);
    return true;
  } catch (error) {
    return error instanceof TypedError && error.code === 'PROTOCOL';
  }
}

const DECODERS = {
  decodeHeader,
  decodeImportRequestBody,
  decodeImportReply,
  decodeDeviceListReply,
  decodeDeviceRecord,
};

describe('USB/IP codecs', () => {
  it('headers survive the wire', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(OP)), u32, (op, status) => {
        expect(decodeHeader(encodeHeader({ op, status }))).toEqual({ op, status });
      }),
    );
  });

  it('import requests survive the wire', () => {
    fc.assert(
      fc.property(busId, (id) => {
        expect(decodeImportRequestBody(encodeImportRequest(id).subarray(HEADER_SIZE))).toBe(id);
      }),
    );
  });

  it('device records survive the wire', () => {
    fc.assert(
      fc.property(device, (record) => {
        expect(decodeDeviceRecord(encodeDeviceRecord(record))).toEqual(record);
      }),
    );
  });

  it('import replies survive the wire', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          device.map((d) => ({ device: d })),
          fc.integer({ min: 1, max: 9 }).map((status) => ({ status })),
        ),
        (reply) => {
          expect(decodeImportReply(encodeImportReply(reply))).toEqual(reply);
        },
      ),
    );
  });

  it('device lists survive the wire', () => {
    fc.assert(
      fc.property(fc.array(listed, { maxLength: 5 }), (devices) => {
        expect(decodeDeviceListReply(encodeDeviceListReply(devices))).toEqual(devices);
      }),
    );
  });

  it('a message cut anywhere, or with anything behind it, is refused', () => {
    fc.assert(
      fc.property(
        fc.array(listed, { minLength: 1, maxLength: 3 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        u8,
        (devices, at, more) => {
          for (const [bytes, decode] of [
            [encodeDeviceListReply(devices), decodeDeviceListReply],
            [encodeImportReply({ device: devices[0]?.device ?? fail() }), decodeImportReply],
          ] as const) {
            expect(() => decode(bytes.subarray(0, Math.floor(bytes.length * at)))).toThrow(TypedError);
            expect(() => decode(Buffer.concat([bytes, Buffer.of(more)]))).toThrow(TypedError);
          }
        },
      ),
    );
  });

  it('random bytes are decoded or refused with PROTOCOL, whatever they are', () => {
    for (const decode of Object.values(DECODERS)) {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => decodesOrRefuses(decode, bytes)),
        { numRuns: 300 },
      );
    }
  });

  it('a valid beginning with random bytes behind it is decoded or refused with PROTOCOL', () => {
    const begin = (op: number) => encodeHeader({ op: op as 3, status: STATUS.ok });
    for (const [op, decode] of [
      [OP.importReply, decodeImportReply],
      [OP.deviceListReply, decodeDeviceListReply],
    ] as const) {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) =>
          decodesOrRefuses(decode, Buffer.concat([begin(op), bytes])),
        ),
        { numRuns: 300 },
      );
    }
  });

  it('what passes as a bus id has no part that could lead out of a folder', () => {
    fc.assert(
      fc.property(fc.oneof(busId, fc.string(), fc.stringMatching(/^[0-9./-]{0,40}$/)), (text) => {
        if (!isBusId(text)) return;
        expect(text).toMatch(/^[0-9]+-[0-9]+(\.[0-9]+)*$/);
        expect(text.length).toBeLessThan(32);
      }),
    );
  });
});

function fail(): never {
  throw new Error('no device');
}
