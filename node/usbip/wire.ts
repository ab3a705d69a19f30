// USB/IP messages before hand-over: the eight bytes that begin each of them (Documentation/usb/usbip_protocol.rst).
import { TypedError } from '../../proto/api/typed-error.ts';

/** Protocol 1.1.1, the only one in use since Linux 3.17. */
export const USBIP_VERSION = 0x0111;

/** Bit 15 tells a request from its reply. */
export const OP = {
  importRequest: 0x8003,
  importReply: 0x0003,
  deviceListRequest: 0x8005,
  deviceListReply: 0x0005,
} as const;

export type Op = (typeof OP)[keyof typeof OP];

/** Status of a reply (tools/usb/usbip/libsrc/usbip_common.h); requests carry 0. */
export const STATUS = { ok: 0, notAllowed: 1, busy: 2, deviceError: 3, noDevice: 4, error: 5 } as const;

export const HEADER_SIZE = 8;

export interface Header {
  readonly op: Op;
  readonly status: number;
}

export function encodeHeader({ op, status }: Header): Buffer {
  const bytes = Buffer.alloc(HEADER_SIZE);
  bytes.writeUInt16BE(USBIP_VERSION, 0);
  bytes.writeUInt16BE(op, 2);
  bytes.writeUInt32BE(status, 4);
  return bytes;
}

/** Rejects with PROTOCOL another version, an unknown operation, and a length that is not HEADER_SIZE. */
export function decodeHeader(bytes: Uint8Array): Header {
  const view = expectSize(bytes, HEADER_SIZE, 'USB/IP header');
  const version = view.readUInt16BE(0);
  if (version !== USBIP_VERSION) {
    throw new TypedError('PROTOCOL', `USB/IP version ${hex(version)} instead of ${hex(USBIP_VERSION)}`);
  }
  const op = view.readUInt16BE(2);
  if (!isOp(op)) throw new TypedError('PROTOCOL', `unknown USB/IP operation ${hex(op)}`);
  return { op, status: view.readUInt32BE(4) };
}

/** A view of exactly `size` bytes; PROTOCOL when there are fewer or more. */
export function expectSize(bytes: Uint8Array, size: number, what: string): Buffer {
  if (bytes.byteLength !== size) {
    throw new TypedError('PROTOCOL', `${what} has ${bytes.byteLength} bytes instead of ${size}`);
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isOp(code: number): code is Op {
  return Object.values<number>(OP).includes(code);
}

const hex = (number: number) => `0x${number.toString(16).padStart(4, '0')}`;
