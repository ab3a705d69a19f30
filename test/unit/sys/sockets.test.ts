// Descriptors that Node does not make: socket pairs, options of TCP sockets, the uevent socket, and errors of calls.
import { once } from 'node:events';
import { accessSync, closeSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer, Socket } from 'node:net';
import koffi from 'koffi';
import { describe, expect, it } from 'vitest';
import { decodeUevent } from '../../../node/netlink/uevent.ts';
import { errnoName } from '../../../node/sys/call-failed.ts';
import { setSocketOptions } from '../../../node/sys/socket-options.ts';
import { socketPair } from '../../../node/sys/socket-pair.ts';
import { openUeventSocket } from '../../../node/sys/uevent-socket.ts';
import { errnoOf } from '../../../node/usbip/kernel-errno.ts';
import { LIVENESS } from '../../../node/usbip/socket-options.ts';
import { errorCode } from '../../support/error-code.ts';

const getsockopt = koffi
  .load(null)
  .func('int getsockopt(int, int, int, _Out_ uint8_t *, _Inout_ uint32_t *)');

function option(descriptor: number, level: number, name: number): number {
  const value = Buffer.alloc(4);
  expect(getsockopt(descriptor, level, name, value, [4])).toBe(0);
  return value.readInt32LE();
}

function descriptorOf(socket: Socket): number {
  const { _handle } = socket as unknown as { _handle: { fd: number } };
  return _handle.fd;
}

const BAD = 1_000_000;

describe('the C library', () => {
  it('is not loaded by importing what uses it', () => {
    // This test imports koffi itself, so it looks at what the folder asks for at import.
    const source = readFileSync(new URL('../../../node/sys/libc.ts', import.meta.url), 'utf8');
    expect(source).not.toMatch(/^import (?!type).*'koffi'/m);
    expect(createRequire(import.meta.url).resolve('koffi')).toContain('koffi');
  });

  it('tells the errno by name', () => {
    expect([errnoName(16), errnoName(11), errnoName(105)]).toEqual(['EBUSY', 'EAGAIN', 'ENOBUFS']);
    expect(errnoName(9999)).toBe('errno 9999');
  });
});

describe('a socket pair', () => {
  it('carries bytes between its ends', async () => {
    const [left, right] = socketPair('stream').map(
      (fd) => new Socket({ fd, readable: true, writable: true }),
    );
    left?.write('hello');
    const [bytes] = await once(right as Socket, 'data');
    expect(String(bytes)).toBe('hello');
    left?.destroy();
    right?.destroy();
  });

  it('can keep the borders of messages', () => {
    const pair = socketPair('datagram');
    expect(option(pair[0], 1, 3)).toBe(2);
    for (const descriptor of pair) closeSync(descriptor);
  });
});

describe('socket options', () => {
  it('set what ends a connection to a dead peer', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    const descriptor = descriptorOf(client);
    setSocketOptions(descriptor, LIVENESS);
    const read = {
      noDelay: option(descriptor, 6, 1),
      keepAlive: option(descriptor, 1, 9),
      idle: option(descriptor, 6, 4),
      interval: option(descriptor, 6, 5),
      userTimeout: option(descriptor, 6, 18),
    };
    expect(read).toEqual({ noDelay: 1, keepAlive: 1, idle: 2, interval: 1, userTimeout: 8000 });
    client.destroy();
    server.close();
  });

  it('refuse a descriptor that is none, with the errno for whoever looks', async () => {
    const act = () => setSocketOptions(BAD, LIVENESS);
    expect(await errorCode(act)).toBe('KERNEL');
    const error = (() => {
      try {
        act();
      } catch (caught) {
        return caught;
      }
    })();
    expect(errnoOf(error)).toBe('EBADF');
  });
});

const trigger = '/sys/devices/virtual/mem/null/uevent';
const mayTrigger = (() => {
  try {
    accessSync(trigger, constants.W_OK);
    return true;
  } catch {
    return false;
  }
})();

describe('the uevent socket', () => {
  it('opens without rights and closes without a trace', async () => {
    const socket = openUeventSocket();
    const descriptor = descriptorOf(socket);
    // SO_DOMAIN is AF_NETLINK: the socket of the pair was replaced.
    expect(option(descriptor, 1, 39)).toBe(16);
    expect(option(descriptor, 1, 8)).toBeGreaterThan(0);
    socket.destroy();
    await once(socket, 'close');
    expect(getsockopt(descriptor, 1, 39, Buffer.alloc(4), [4])).toBe(-1);
  });

  it.runIf(mayTrigger)('emits one chunk for each event of the kernel', async () => {
    const socket = openUeventSocket();
    const events: string[] = [];
    socket.on('data', (bytes) => {
      const { action, devpath } = decodeUevent(bytes);
      if (devpath === '/devices/virtual/mem/null') events.push(action);
    });
    for (let count = 0; count < 3; count++) writeFileSync(trigger, 'change');
    await expect.poll(() => events).toEqual(['change', 'change', 'change']);
    socket.destroy();
  });
});
