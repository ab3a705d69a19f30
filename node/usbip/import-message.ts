// OP_REQ_IMPORT and OP_REP_IMPORT: "hand me the device with this bus id over this connection".
import { TypedError } from '../../proto/api/typed-error.ts';
import { isBusId } from './bus-id.ts';
import {
  DEVICE_RECORD_SIZE,
  type DeviceRecord,
  decodeDeviceRecord,
  decodeText,
  encodeDeviceRecord,
} from './device-record.ts';
import { decodeHeader, encodeHeader, expectSize, HEADER_SIZE, OP, STATUS } from './wire.ts';

/** What follows the header of a request. */
export const IMPORT_REQUEST_BODY_SIZE = 32;

export function encodeImportRequest(busId: string): Buffer {
  const body = Buffer.alloc(IMPORT_REQUEST_BODY_SIZE);
  body.write(busId, 0, IMPORT_REQUEST_BODY_SIZE - 1, 'latin1');
  return Buffer.concat([encodeHeader({ op: OP.importRequest, status: 0 }), body]);
}

/** The bus id asked for. PROTOCOL unless it has the form of one: it becomes part of a path. */
export function decodeImportRequestBody(body: Uint8Array): string {
  const field = expectSize(body, IMPORT_REQUEST_BODY_SIZE, 'import request');
  const busId = decodeText(field, 'bus id');
  if (!isBusId(busId)) throw new TypedError('PROTOCOL', 'import request for something that is no bus id');
  return busId;
}

/** A device, or the status why there is none: such a reply has no body (usbipd.c, recv_request_import). */
export type ImportReply = { readonly device: DeviceRecord } | { readonly status: number };

export function encodeImportReply(reply: ImportReply): Buffer {
  if ('status' in reply) return encodeHeader({ op: OP.importReply, status: reply.status });
  return Buffer.concat([
    encodeHeader({ op: OP.importReply, status: STATUS.ok }),
    encodeDeviceRecord(reply.device),
  ]);
}

/** How many bytes follow this header of a reply; PROTOCOL when it is none. */
export function importReplyBodySize(header: Uint8Array): number {
  const { op, status } = decodeHeader(header);
  if (op !== OP.importReply) throw new TypedError('PROTOCOL', 'answer to another request');
  return status === STATUS.ok ? DEVICE_RECORD_SIZE : 0;
}

/** A whole reply; PROTOCOL when it is truncated, too long or another message. */
export function decodeImportReply(bytes: Uint8Array): ImportReply {
  const header = bytes.subarray(0, HEADER_SIZE);
  const body = expectSize(bytes.subarray(HEADER_SIZE), importReplyBodySize(header), 'import reply');
  const { status } = decodeHeader(header);
  return status === STATUS.ok ? { device: decodeDeviceRecord(body) } : { status };
}
