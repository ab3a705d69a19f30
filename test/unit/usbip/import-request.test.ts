// What an importer makes of peers that do not do as they should.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeImportReply } from '../../../node/usbip/import-message.ts';
import { requestImport } from '../../../node/usbip/import-request.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { codeOf, never } from '../../support/usbip-nodes.ts';

const LIMITS = { connect: 200, reply: 100 };
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A peer that does `serve` with each connection. */
async function peer(serve: (socket: Socket) => void): Promise<{ host: string; port: number }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    serve(socket);
  }).listen(0, '127.0.0.1');
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return { host: '127.0.0.1', port: (server.address() as { port: number }).port };
}

const DEVICE = {
  path: '/sys/x',
  busId: '2-1',
  busNumber: 2,
  deviceNumber: 5,
  speed: 3,
  vendorId: 1,
  productId: 2,
  bcdDevice: 0,
  deviceClass: 0,
  deviceSubClass: 0,
  deviceProtocol: 0,
  configurationValue: 1,
  configurationCount: 1,
  interfaceCount: 1,
};

const code = async (serve: (socket: Socket) => void) =>
  codeOf(requestImport(await peer(serve), '2-1', LIMITS, never));

describe('a request for import', () => {
  it('gets the device and a socket that has read nothing more', async () => {
    const at = await peer((socket) => void socket.write(encodeImportReply({ device: DEVICE })));
    const { device, socket } = await requestImport(at, '2-1', LIMITS, never);
    expect(device).toEqual(DEVICE);
    expect(socket.bytesRead).toBe(320);
    socket.destroy();
  });

  it('gets a reply that comes a byte at a time', async () => {
    const at = await peer((socket) => {
      socket.setNoDelay();
      for (const byte of encodeImportReply({ device: DEVICE })) socket.write(Uint8Array.of(byte));
    });
    const { device, socket } = await requestImport(at, '2-1', LIMITS, never);
    expect(device.busId).toBe('2-1');
    socket.destroy();
  });

  it('to a port where nobody listens finds the peer unreachable', async () => {
    const at = await peer(() => undefined);
    open.splice(0).map((close) => close());
    expect(await codeOf(requestImport(at, '2-1', LIMITS, never))).toBe('PEER_UNREACHABLE');
  });

  it('to a host without a name finds the peer unreachable', async () => {
    expect(await codeOf(requestImport({ host: '256.0.0.1', port: 1 }, '2-1', LIMITS, never))).toBe(
      'PEER_UNREACHABLE',
    );
  });

  it('that is not answered finds the peer unreachable in time', async () => {
    expect(await code(() => undefined)).toBe('PEER_UNREACHABLE');
  });

  it('that is hung up on is refused', async () => {
    expect(await code((socket) => void socket.end())).toBe('PEER_REFUSED');
  });

  it('whose answer is cut short meets a protocol error', async () => {
    expect(
      await code((socket) => void socket.end(encodeImportReply({ device: DEVICE }).subarray(0, 100))),
    ).toBe('PROTOCOL');
  });

  it('that is answered by something else meets a protocol error', async () => {
    expect(await code((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))).toBe('PROTOCOL');
  });

  it('that is answered with another device meets a protocol error', async () => {
    expect(
      await code((socket) => void socket.write(encodeImportReply({ device: { ...DEVICE, busId: '2-2' } }))),
    ).toBe('PROTOCOL');
  });

  it.each([
    [1, 'PEER_REFUSED'],
    [2, 'DEVICE_BUSY'],
    [3, 'PEER_REFUSED'],
    [4, 'DEVICE_NOT_FOUND'],
  ])('that is answered with status %d meets %s', async (status, expected) => {
    expect(await code((socket) => void socket.write(encodeImportReply({ status })))).toBe(expected);
  });

  it('with an error in the dialect that sends a body with it is the same error', async () => {
    const reply = Buffer.concat([encodeImportReply({ status: 2 }), Buffer.alloc(312)]);
    expect(await code((socket) => void socket.write(reply))).toBe('DEVICE_BUSY');
  });

  it('ends at once when the caller gives up, and closes the connection', async () => {
    const abort = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    const at = await peer((socket) => {
      closed = once(socket, 'close');
      socket.resume();
      abort.abort();
    });
    expect(await codeOf(requestImport(at, '2-1', { connect: 5000, reply: 5000 }, abort.signal))).toBe(
      'TIMED_OUT',
    );
    await closed;
  });

  it('is not even made when the caller has given up', async () => {
    const asked = requestImport({ host: '127.0.0.1', port: 1 }, '2-1', LIMITS, AbortSignal.abort());
    await expect(asked).rejects.toBeInstanceOf(TypedError);
    await expect(asked).rejects.toMatchObject({ code: 'TIMED_OUT' });
  });
});
