// Asks the exporter of another node for a device: connect, request, reply; the connection then carries the device.
import { connect, type Socket } from 'node:net';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { DeviceRecord } from './device-record.ts';
import { decodeImportReply, encodeImportRequest, importReplyBodySize } from './import-message.ts';
import { throwIfAborted } from './polling.ts';
import { refusalError } from './refusal-status.ts';
import { limitTime, readExactly } from './socket-reader.ts';
import { HEADER_SIZE } from './wire.ts';

export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

/** Milliseconds. The owner takes the device from its driver before it replies. */
export interface RequestLimits {
  readonly connect: number;
  readonly reply: number;
}

export interface GrantedDevice {
  readonly device: DeviceRecord;
  /** At the first byte that belongs to the kernel. The caller closes it. */
  readonly socket: Socket;
}

/**
 * Rejects with PEER_UNREACHABLE, PEER_REFUSED, DEVICE_BUSY or DEVICE_NOT_FOUND (what the owner says), PROTOCOL (it
 * speaks something else), or TIMED_OUT when `signal` is aborted; the connection is closed then.
 */
export async function requestImport(
  peer: PeerAddress,
  busId: string,
  limits: RequestLimits,
  signal: AbortSignal,
): Promise<GrantedDevice> {
  throwIfAborted(signal);
  const name = `${peer.host}:${peer.port}`;
  const socket = connect({ host: peer.host, port: peer.port, noDelay: true });
  // Kept on: a socket without a listener ends the process when the peer resets the connection.
  socket.on('error', () => undefined);
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort);
  try {
    await connected(socket, limits.connect, name);
    const device = await ask(socket, busId, limits.reply, name);
    return { device, socket };
  } catch (error) {
    socket.destroy();
    throwIfAborted(signal);
    throw peerError(error, socket, name);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function connected(socket: Socket, ms: number, name: string): Promise<void> {
  const inTime = limitTime(socket, ms, () => unreachable(name, `no answer within ${ms} ms`));
  return new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(unreachable(name, 'the connection was closed')));
  }).finally(inTime);
}

async function ask(socket: Socket, busId: string, ms: number, name: string): Promise<DeviceRecord> {
  const inTime = limitTime(socket, ms, () => unreachable(name, `no reply within ${ms} ms`));
  try {
    socket.write(encodeImportRequest(busId));
    const header = await readExactly(socket, HEADER_SIZE);
    const body = await readExactly(socket, importReplyBodySize(header));
    const reply = decodeImportReply(Buffer.concat([header, body]));
    if ('status' in reply) throw refusalError(reply.status, busId, name);
    if (reply.device.busId !== busId) {
      throw new TypedError('PROTOCOL', `${name} handed over ${reply.device.busId} instead of ${busId}`);
    }
    return reply.device;
  } finally {
    inTime();
  }
}

function peerError(error: unknown, socket: Socket, name: string): TypedError {
  if (!(error instanceof TypedError)) {
    return unreachable(name, error instanceof Error ? error.message : String(error), error);
  }
  if (error.code !== 'PROTOCOL' || socket.bytesRead > 0) return error;
  const message = `${name} closed the connection without an answer`;
  return new TypedError('PEER_REFUSED', message, 'It may have too many connections, or be no exporter.', {
    cause: error,
  });
}

function unreachable(name: string, why: string, cause?: unknown): TypedError {
  return new TypedError(
    'PEER_UNREACHABLE',
    `the exporter at ${name} can't be reached: ${why}`,
    'Does the USB agent run on the owner, and is its port open between the nodes?',
    { cause },
  );
}
