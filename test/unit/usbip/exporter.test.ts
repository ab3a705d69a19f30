// The exporter over real connections: what peers get, and what bad ones can not do.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeDeviceListReply, encodeDeviceListRequest } from '../../../node/usbip/device-list-message.ts';
import {
  decodeImportReply,
  encodeImportRequest,
  type ImportReply,
} from '../../../node/usbip/import-message.ts';
import { LIVENESS } from '../../../node/usbip/socket-options.ts';
import { STATUS } from '../../../node/usbip/wire.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { DISK, HUB, KEYBOARD } from '../../support/fake-usb-device.ts';
import { codeOf, type OwnerOptions, ownerNode, until } from '../../support/usbip-nodes.ts';

const open: { [Symbol.asyncDispose](): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of open.splice(0)) await node[Symbol.asyncDispose]();
});

async function owner(options: OwnerOptions = {}) {
  const node = await ownerNode(options);
  open.push(node);
  node.kernel.plug('2-1', DISK);
  node.kernel.plug('1-2', KEYBOARD);
  return node;
}

function client(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

/** Sends bytes and returns everything that comes back until the connection ends. */
async function talk(port: number, bytes: Uint8Array): Promise<Buffer> {
  const socket = client(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server that closes with bytes unread resets the connection; what it sent before counts all the same.
  socket.on('error', () => undefined);
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks);
}

const importOf = async (port: number, busId: string): Promise<ImportReply> =>
  decodeImportReply(await talk(port, encodeImportRequest(busId)));

describe('an import', () => {
  it('gets the record of the device, and the kernel gets the connection', async () => {
    const { kernel, port, stub } = await owner();
    const reply = await importOf(port, '2-1');
    expect(reply).toMatchObject({
      device: { busId: '2-1', speed: 5, vendorId: 0x46f4, configurationValue: 1, interfaceCount: 1 },
    });
    expect(kernel.readDevice('2-1')?.driver).toBe('usbip-host');
    expect(stub.state('2-1')).toBe(2);
  });

  it('sets the socket options before the kernel has the socket', async () => {
    const { port, sockets } = await owner();
    await importOf(port, '2-1');
    expect(sockets).toEqual([LIVENESS]);
  });

  it('is listed with peer and grant', async () => {
    const { port, table } = await owner();
    await importOf(port, '2-1');
    expect(table.list()).toMatchObject([
      { busId: '2-1', peer: { address: '127.0.0.1' }, grant: { device: 'usb-2-1' } },
    ]);
  });

  it('of a device that is held is answered busy, and the holder keeps it', async () => {
    const { port, stub } = await owner();
    await importOf(port, '2-1');
    expect(await importOf(port, '2-1')).toEqual({ status: STATUS.busy });
    expect(stub.state('2-1')).toBe(2);
  });

  it('asked for twice at once is given once', async () => {
    const { port, table } = await owner();
    const replies = await Promise.all([importOf(port, '2-1'), importOf(port, '2-1'), importOf(port, '2-1')]);
    expect(replies.filter((reply) => 'device' in reply)).toHaveLength(1);
    expect(table.list()).toHaveLength(1);
  });

  it('without a grant is refused, and the device is not touched', async () => {
    const refused = new TypedError('NOT_GRANTED', 'no claim');
    const { kernel, port, exporter } = await owner({
      grants: { check: () => Promise.reject(refused), list: async () => [] },
    });
    expect(await importOf(port, '2-1')).toEqual({ status: STATUS.notAllowed });
    expect(kernel.writes).toEqual([]);
    expect(exporter.counts).toMatchObject({ refused: 1, exported: 0 });
  });

  it('of a device that a pod of this node has is refused before its driver is touched', async () => {
    const held = new TypedError('DEVICE_BUSY', 'held by claim default/c1');
    const { kernel, port } = await owner({ grants: { assertFree: () => Promise.reject(held) } });
    expect(await importOf(port, '2-1')).toEqual({ status: STATUS.busy });
    expect(kernel.writes).toEqual([]);
  });

  it('asks whether the device is free only when nothing else can take it', async () => {
    let free = true;
    const held = new TypedError('DEVICE_BUSY', 'held by claim default/c1');
    const assertFree = () => (free ? Promise.resolve() : Promise.reject(held));
    const { kernel, port, lock } = await owner({ grants: { assertFree } });
    let imported: Promise<unknown> = Promise.resolve();
    await lock.run('2-1', async () => {
      imported = importOf(port, '2-1');
      await sleep(20);
      free = false;
    });
    expect(await imported).toEqual({ status: STATUS.busy });
    expect(kernel.writes).toEqual([]);
  });

  it('of a device that is not there says so', async () => {
    const { port } = await owner();
    expect(await importOf(port, '3-7')).toEqual({ status: STATUS.noDevice });
  });

  it('of a hub is refused', async () => {
    const { kernel, port } = await owner();
    kernel.plug('3-1', HUB);
    expect(await importOf(port, '3-1')).toEqual({ status: STATUS.notAllowed });
    expect(kernel.readDevice('3-1')?.driver).toBe('usb');
  });

  it('of a disk that the node has mounted is refused before its driver is touched', async () => {
    const { kernel, port } = await owner({ inUse: () => 'mounted: sda1 on /data' });
    expect(await importOf(port, '2-1')).toEqual({ status: STATUS.busy });
    expect(kernel.writes).toEqual([]);
  });

  it('that the kernel refuses leaves the device with its native driver', async () => {
    const { kernel, port, table } = await owner();
    kernel.failNextBind = true;
    expect(await importOf(port, '2-1')).toEqual({ status: STATUS.deviceError });
    expect(kernel.readDevice('2-1')?.interfaces[0]?.driver).toBe('usb-storage');
    expect(table.list()).toEqual([]);
  });

  it('whose peer has hung up before hand-over leaves the device with its native driver', async () => {
    let grant: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      grant = resolve;
    });
    const { kernel, port, exporter, table } = await owner({
      grants: { check: () => asked.then(() => ({ device: 'usb-2-1' })), list: async () => [] },
    });
    const socket = client(port);
    socket.write(encodeImportRequest('2-1'));
    await sleep(20);
    socket.destroy();
    await sleep(20);
    grant();
    await until(() => exporter.counts.refused === 1);
    expect(kernel.readDevice('2-1')?.driver).toBe('usb');
    expect(table.list()).toEqual([]);
  });

  it('with bytes behind the request is refused: the kernel would miss them', async () => {
    const { kernel, port } = await owner();
    const reply = await talk(port, Buffer.concat([encodeImportRequest('2-1'), Buffer.from('more')]));
    expect(decodeImportReply(reply)).toEqual({ status: STATUS.error });
    expect(kernel.readDevice('2-1')?.driver).toBe('usb');
  });
});

describe('the end of a connection', () => {
  it('gives the device back to its native driver', async () => {
    const { kernel, port, table, changes } = await owner();
    await importOf(port, '2-1');
    kernel.cut('2-1');
    await until(() => table.list().length === 0);
    expect(kernel.readDevice('2-1')?.interfaces[0]?.driver).toBe('usb-storage');
    expect(changes()).toBe(2);
  });

  it('makes the device available to another at once', async () => {
    const { kernel, port, stub, table } = await owner();
    await importOf(port, '2-1');
    kernel.cut('2-1');
    await until(() => stub.state('2-1') !== 2);
    expect(await importOf(port, '2-1')).toHaveProperty('device');
    await sleep(30);
    expect(stub.state('2-1')).toBe(2);
    expect(table.list()).toHaveLength(1);
  });

  it('after which the device can not be reset gives it back all the same', async () => {
    const { kernel, port, table } = await owner();
    await importOf(port, '2-1');
    kernel.failNextReset = true;
    kernel.cut('2-1');
    await until(() => table.list().length === 0);
    expect(kernel.readDevice('2-1')?.driver).toBe('usb');
  });

  it('by unplugging ends the export', async () => {
    const { kernel, port, table } = await owner();
    await importOf(port, '2-1');
    kernel.unplug('2-1');
    await until(() => table.list().length === 0);
    expect(table.list()).toEqual([]);
  });
});

describe('a device list', () => {
  const list = async (port: number) => decodeDeviceListReply(await talk(port, encodeDeviceListRequest()));

  it('has what this peer may import, with interfaces', async () => {
    const { port } = await owner({
      grants: { check: async () => ({ device: 'x' }), list: async () => ['2-1', '9-9'] },
    });
    expect(await list(port)).toMatchObject([
      { device: { busId: '2-1' }, interfaces: [{ class: 8, subClass: 6, protocol: 0x50 }] },
    ]);
  });

  it('is empty for strangers', async () => {
    const { port } = await owner();
    expect(await list(port)).toEqual([]);
  });

  it('is empty when grants can not be asked', async () => {
    const { port } = await owner({
      grants: { check: async () => ({ device: 'x' }), list: () => Promise.reject(new Error('cache')) },
    });
    expect(await list(port)).toEqual([]);
  });

  it('leaves out what is held', async () => {
    const { port } = await owner({
      grants: { check: async () => ({ device: 'x' }), list: async () => ['2-1', '1-2'] },
    });
    await importOf(port, '2-1');
    expect((await list(port)).map(({ device }) => device.busId)).toEqual(['1-2']);
  });
});

describe('a bad client', () => {
  it.each([
    ['garbage', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['another version', Buffer.from('0106800300000000', 'hex')],
    ['a private operation', Buffer.from('0111800600000000', 'hex')],
    ['a reply', Buffer.from('0111000300000000', 'hex')],
    [
      'a path for a bus id',
      Buffer.concat([Buffer.from('0111800300000000', 'hex'), Buffer.from('../../../etc'.padEnd(32, '\0'))]),
    ],
  ])('that sends %s is cut off and counted', async (_, bytes) => {
    const { exporter, port, log } = await owner();
    expect(await talk(port, bytes)).toHaveLength(0);
    expect(exporter.counts.malformed).toBe(1);
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(await importOf(port, '2-1')).toHaveProperty('device');
  });

  it.each([0, 1, 7, 8, 20, 39])('that hangs up after %d bytes is counted', async (length) => {
    const { exporter, port } = await owner();
    const socket = client(port);
    socket.end(encodeImportRequest('2-1').subarray(0, length));
    await until(() => exporter.counts.malformed === 1);
    expect(exporter.counts).toMatchObject({ malformed: 1, exported: 0 });
  });

  it('that sends nothing, or a byte now and then, is cut off in time', async () => {
    const { exporter, port } = await owner({ exporter: { timeLimit: 60 } });
    const silent = client(port);
    const slow = client(port);
    const dripping = setInterval(() => slow.write('\x01'), 10);
    const start = performance.now();
    // The cut may reach a client as a reset.
    const closed = (socket: Socket) =>
      new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    await Promise.all([closed(silent), closed(slow)]);
    clearInterval(dripping);
    expect(performance.now() - start).toBeLessThan(4000);
    expect(exporter.counts.malformed).toBe(2);
  });

  it('that resets the connection ends nothing', async () => {
    const { exporter, port } = await owner();
    const socket = client(port);
    await once(socket, 'connect');
    socket.write('\x01');
    socket.resetAndDestroy();
    await until(() => exporter.counts.malformed === 1);
    expect(await importOf(port, '2-1')).toHaveProperty('device');
  });

  it('with too many connections is turned away, and others are served when it has gone', async () => {
    const { exporter, port } = await owner({ exporter: { maxConnections: 3, timeLimit: 5000 } });
    const hoard = [client(port), client(port), client(port)];
    await Promise.all(hoard.map((socket) => once(socket, 'connect')));
    await sleep(10);
    expect(await talk(port, encodeImportRequest('2-1'))).toHaveLength(0);
    expect(exporter.counts.overLimit).toBe(1);
    for (const socket of hoard) socket.destroy();
    await until(() => exporter.counts.malformed === 3);
    expect(await importOf(port, '2-1')).toHaveProperty('device');
  });

  it('that comes too often is turned away', async () => {
    const { exporter, port } = await owner({ exporter: { rate: { burst: 2, perSecond: 0.001 } } });
    for (let i = 0; i < 4; i++) await talk(port, encodeDeviceListRequest());
    expect(exporter.counts).toMatchObject({ listed: 2, overLimit: 2 });
  });

  it('is one of fifty with random bytes, and a good one is still served', async () => {
    const { exporter, port } = await owner({ exporter: { timeLimit: 50 } });
    let seed = 42;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed;
    };
    await Promise.all(
      Array.from({ length: 50 }, () =>
        talk(
          port,
          Uint8Array.from({ length: random() % 400 }, () => random() >> 8),
        ),
      ),
    );
    expect(exporter.counts.malformed).toBe(50);
    expect(await importOf(port, '2-1')).toHaveProperty('device');
  });
});

describe('listening', () => {
  it('on an address that is not ours is a matter of configuration', async () => {
    const { exporter } = await owner();
    await exporter.close();
    expect(await codeOf(ownerNode({ exporter: { address: '203.0.113.7' } }))).toBe('BAD_CONFIG');
  });

  it('on one port can be done by two instances', async () => {
    const first = await owner();
    await first.exporter.close();
    const one = await owner({ exporter: { port: first.port } });
    const two = await owner({ exporter: { port: first.port } });
    expect([one.port, two.port]).toEqual([first.port, first.port]);
  });
});

describe('closing', () => {
  it('lets a hand-over that has begun finish', async () => {
    let close: () => void = () => undefined;
    const { exporter, port, stub } = await owner({ exporter: { setSocketOptions: () => close() } });
    close = () => void exporter.close();
    expect(await importOf(port, '2-1')).toHaveProperty('device');
    expect(stub.state('2-1')).toBe(2);
  });

  it('ends connections that wait', async () => {
    const { exporter, port } = await owner();
    const socket = client(port);
    await once(socket, 'connect');
    await Promise.all([once(socket, 'close'), sleep(10).then(() => exporter.close())]);
    expect(await codeOf(importOf(port, '2-1'))).not.toBe('none');
  });
});

describe('a restarted agent', () => {
  it('takes over exports and gives them back when they end', async () => {
    const { kernel, port, table, stub } = await owner();
    await importOf(port, '2-1');
    table.stop();
    const second = await owner({ kernel: kernelWith(kernel), grace: 0 });
    second.table.adopt();
    expect(second.table.list()).toMatchObject([{ busId: '2-1' }]);
    expect(stub.state('2-1')).toBe(2);
    kernel.cut('2-1');
    await until(() => second.table.list().length === 0);
    expect(kernel.readDevice('2-1')?.driver).toBe('usb');
  });

  it('frees a device that was bound and never handed over', async () => {
    const { kernel, table, stub } = await owner();
    await stub.bind('2-1');
    table.adopt();
    await until(() => table.list().length === 0);
    expect(kernel.readDevice('2-1')?.driver).toBe('usb');
  });

  it('exports what is plugged into a port whose exported device was pulled out', async () => {
    const { kernel, table, port } = await owner();
    await importOf(port, '2-1');
    kernel.unplug('2-1');
    await until(() => table.list().length === 0);
    kernel.plug('2-1', DISK);
    await importOf(port, '2-1');
    expect(table.list()).toMatchObject([{ busId: '2-1', grant: { device: 'usb-2-1' } }]);
  });

  it('leaves a device alone that another instance is about to hand over', async () => {
    const { kernel, table, stub } = await owner({ grace: 10_000 });
    await stub.bind('2-1');
    table.adopt();
    await sleep(30);
    expect(kernel.readDevice('2-1')?.driver).toBe('usbip-host');
  });

  it('adopting twice changes nothing', async () => {
    const { port, table, changes } = await owner();
    await importOf(port, '2-1');
    table.adopt();
    table.adopt();
    expect(table.list()).toMatchObject([{ busId: '2-1', grant: { device: 'usb-2-1' } }]);
    expect(changes()).toBe(1);
  });
});

/** The kernel lives on; `owner` plugs its devices into it, which are there already. */
function kernelWith(kernel: Awaited<ReturnType<typeof ownerNode>>['kernel']) {
  return Object.assign(Object.create(kernel), { plug: () => undefined }) as typeof kernel;
}
