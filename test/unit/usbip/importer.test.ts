// A device of node a, used on node b: attached, looked at, and undone when anything goes wrong.
import { afterEach, describe, expect, it } from 'vitest';
import type { ImportAttachment } from '../../../node/usbip/importer.ts';
import { LIVENESS } from '../../../node/usbip/socket-options.ts';
import { DISK, KEYBOARD, MODEM, TOKEN } from '../../support/fake-usb-device.ts';
import {
  codeOf,
  importingNode,
  LIMITS,
  never,
  recorder,
  twoNodes,
  until,
} from '../../support/usbip-nodes.ts';

const IMPATIENT = { ...LIMITS, appear: 80, settle: { ...LIMITS.settle, possible: 20, certain: 80 } };

const open: { [Symbol.asyncDispose](): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of open.splice(0)) await node[Symbol.asyncDispose]();
});

async function nodes(...args: Parameters<typeof twoNodes>) {
  const made = await twoNodes(...args);
  open.push(made);
  return made;
}

describe('attach for usbfs', () => {
  it('gives the usbfs node of the local device and nothing else', async () => {
    const { b, attach } = await nodes();
    const usable = await attach('usbfs');
    expect(usable).toEqual({
      busId: '10-1',
      busNumber: 10,
      deviceNumber: 2,
      nodes: [{ path: '/dev/bus/usb/010/002', type: 'c', major: 189, minor: 1153 }],
    });
    expect(b.kernel.tree.exists('/dev/bus/usb/010/002')).toBe(true);
  });

  it('binds no host driver, and lets a container claim the interfaces', async () => {
    const { b, attach } = await nodes();
    const { busId } = await attach('usbfs');
    const [face] = b.kernel.readDevice(busId)?.interfaces ?? [];
    expect(face?.driver).toBeUndefined();
    expect(b.kernel.tree.readText(`/sys/bus/usb/devices/${face?.sysfsName}/authorized`)?.trim()).toBe('1');
  });

  it('isolates the root hubs before the device is there', async () => {
    const { b, attach } = await nodes();
    await attach('usbfs');
    const [first, second, third] = b.kernel.writes.map((line) => line.split(' <- ')[0]?.split('/').pop());
    expect([first, second, third]).toEqual([
      'interface_authorized_default',
      'interface_authorized_default',
      'attach',
    ]);
  });

  it('reads nothing of the device while the kernel is choosing its configuration, under a lock', async () => {
    const { b, attach } = await nodes();
    const { sysfs } = b.kernel;
    const [list, readBytes] = [sysfs.list.bind(sysfs), sysfs.readBytes.bind(sysfs)];
    let looks = 0;
    const early: string[] = [];
    // The folder of the device comes first, those of its interfaces last.
    sysfs.list = (path) => {
      const names = list(path);
      return path.endsWith('/10-1') && looks++ < 3 ? names.filter((name) => !name.includes(':')) : names;
    };
    sysfs.readBytes = (path) => {
      if (path.includes('/10-1/') && looks <= 3) early.push(path);
      return readBytes(path);
    };
    await attach('usbfs');
    expect(looks).toBeGreaterThan(3);
    expect(early).toEqual([]);
  });

  it('cannot be isolated: the owner has its device back, and no port is taken', async () => {
    const { a, b, attach, records, back } = await nodes();
    const { sysfs } = b.kernel;
    const readText = sysfs.readText.bind(sysfs);
    sysfs.readText = (path) => (path.endsWith('interface_authorized_default') ? undefined : readText(path));
    expect(await codeOf(attach('usbfs'))).toBe('KERNEL');
    expect(records).toEqual([]);
    // The fake kernel of a has no reference to the socket that closed: the cut stands for it.
    a.kernel.cut('2-1');
    await back();
  });

  it('records what to undo before the port is taken', async () => {
    const { b, importer, target, attached } = await nodes();
    const seen: (number | undefined)[] = [];
    const { records, record } = recorder();
    await importer.attach(
      target,
      'usbfs',
      async (attachment) => {
        seen.push(b.kernel.portState(8));
        await record(attachment);
      },
      never,
    );
    expect(seen).toEqual([4]);
    expect(attached()).toBeUndefined();
    expect(records).toEqual([
      {
        kind: 'import',
        mode: 'usbfs',
        port: 8,
        devid: 0x20002,
        peer: '127.0.0.1',
        remoteBusId: '2-1',
        claim: 'uid-1',
      },
    ]);
  });

  it('sets the socket options before hand-over', async () => {
    const { b, attach } = await nodes();
    await attach('usbfs');
    expect(b.sockets).toEqual([LIVENESS]);
  });

  it('takes a high-speed port for a low or full-speed device', async () => {
    const { attach, attached } = await nodes(TOKEN);
    await attach('usbfs');
    expect(attached().port).toBe(0);
  });

  it('takes a super-speed port for super plus, on kernels that know it and that do not', async () => {
    for (const release of ['6.1.0-44-amd64', '6.12.1']) {
      const { attach, attached } = await nodes({ ...DISK, speed: 10_000 }, { release });
      await attach('usbfs');
      expect(attached().port).toBe(8);
    }
  });

  it('allows a keyboard, whose keys no host driver sees', async () => {
    const { b, attach } = await nodes(KEYBOARD);
    const { busId } = await attach('usbfs');
    expect(b.kernel.readDevice(busId)?.interfaces[0]?.driver).toBeUndefined();
  });
});

describe('attach for host drivers', () => {
  it('waits for disk, partition and sg', async () => {
    const { attach } = await nodes(DISK, { diskDelay: 30 });
    const { nodes: given } = await attach('driver');
    expect(given.map(({ path }) => path)).toEqual([
      '/dev/bus/usb/010/002',
      '/dev/sda',
      '/dev/sda1',
      '/dev/sg0',
    ]);
  });

  it('gives a disk on a kernel without sg', async () => {
    const { attach } = await nodes(DISK, { sg: false });
    const { nodes: given } = await attach('driver');
    expect(given.map(({ path }) => path)).toEqual(['/dev/bus/usb/010/002', '/dev/sda', '/dev/sda1']);
  });

  it('gives the serial port of a modem', async () => {
    const { attach } = await nodes(MODEM);
    expect((await attach('driver')).nodes.map(({ path }) => path)).toContain('/dev/ttyACM0');
  });

  it('does not wait for a device that no driver wants', async () => {
    // A wait would last a minute, and the test not so long.
    const settle = { ...LIMITS.settle, possible: 60_000, certain: 60_000 };
    const { attach } = await nodes(TOKEN, {}, { ...LIMITS, settle });
    expect((await attach('driver')).nodes).toHaveLength(1);
  });

  it('says what is missing when a disk does not come, and undoes everything', async () => {
    const { a, attach, ports, back } = await nodes(DISK, { diskDelay: 60_000 }, IMPATIENT);
    await expect(attach('driver')).rejects.toMatchObject({
      code: 'TIMED_OUT',
      message: expect.stringContaining('block node of 10-1:1.0'),
    });
    expect(ports()).toEqual([]);
    await back();
    expect(a.kernel.readDevice('2-1')?.driver).toBe('usb');
  });

  it('refuses a keyboard before any driver has seen it, and undoes everything', async () => {
    const { a, b, attach, ports, back } = await nodes(KEYBOARD);
    expect(await codeOf(attach('driver'))).toBe('KEYBOARD_NEEDS_USBFS');
    expect(ports()).toEqual([]);
    expect(b.kernel.writes.some((line) => line.includes('drivers_probe'))).toBe(false);
    await back();
    expect(a.kernel.readDevice('2-1')?.driver).toBe('usb');
  });
});

describe('a device that is not the one of the claim', () => {
  it.each([
    ['serial', { ...DISK, serial: 'OTHER' }],
    ['interfaces', { ...DISK, interfaces: [{ class: 0xff, subClass: 0, protocol: 0 }] }],
  ])('by its %s is refused and given back', async (_, other) => {
    const { a, attach, ports, back } = await nodes();
    a.kernel.unplug('2-1');
    a.kernel.plug('2-1', other);
    expect(await codeOf(attach('usbfs'))).toBe('DEVICE_CHANGED');
    expect(ports()).toEqual([]);
    await back();
    expect(a.kernel.readDevice('2-1')?.driver).toBe('usb');
  });

  it('by its model does not even take a port', async () => {
    const { a, b, attach, records } = await nodes();
    a.kernel.unplug('2-1');
    a.kernel.plug('2-1', { ...DISK, vendorId: 1 });
    expect(await codeOf(attach('usbfs'))).toBe('DEVICE_CHANGED');
    expect(records).toEqual([]);
    expect(b.kernel.writes.some((line) => line.includes('/attach'))).toBe(false);
  });
});

describe('ports', () => {
  it('are all used: nothing is touched, and the owner has its device back', async () => {
    const { a, b, attach, records, back } = await nodes(DISK, { portsPerHub: 2 });
    b.kernel.occupy(2, 1);
    b.kernel.occupy(3, 2);
    expect(await codeOf(attach('usbfs'))).toBe('NO_FREE_PORT');
    expect(records).toEqual([]);
    // The fake kernel of a has no reference to the socket that closed: the cut stands for it.
    a.kernel.cut('2-1');
    await back();
    expect(a.kernel.readDevice('2-1')?.driver).toBe('usb');
  });

  it('one is taken by the usbip tool in the last moment: the next is used, and recorded', async () => {
    const { b, attach, records } = await nodes();
    b.kernel.beforeAttach = () => {
      b.kernel.beforeAttach = () => undefined;
      b.kernel.occupy(8, 77);
    };
    await attach('usbfs');
    expect(records.map((attachment) => (attachment as ImportAttachment).port)).toEqual([8, 9]);
    expect(b.kernel.portState(9)).toBe(6);
  });

  it('of a second controller are used when the first has none', async () => {
    const { b, attach, attached } = await nodes(DISK, { controllers: 2, portsPerHub: 1 });
    b.kernel.occupy(1, 5);
    expect((await attach('usbfs')).busId).toBe('12-1');
    expect(attached().port).toBe(3);
  });

  it('are missing without the module', async () => {
    const { attach } = await nodes(DISK, { modules: [] });
    expect(await codeOf(attach('usbfs'))).toBe('NO_FREE_PORT');
  });
});

describe('failures', () => {
  it('the record can not be written: the kernel is not touched', async () => {
    const { b, importer, target } = await nodes();
    const full = () => Promise.reject(new Error('disk full'));
    await expect(importer.attach(target, 'usbfs', full, never)).rejects.toThrow('disk full');
    expect(b.kernel.writes.some((line) => line.includes('/attach'))).toBe(false);
  });

  it('the connection ends while the device is enumerated: the peer is unreachable, no port is left', async () => {
    const { a, b, attach, ports } = await nodes(DISK, { enumerationDelay: 60_000 });
    const attaching = attach('usbfs');
    await until(() => b.kernel.portState(8) === 5);
    a.kernel.cut('2-1');
    expect(await codeOf(attaching)).toBe('PEER_UNREACHABLE');
    expect(ports()).toEqual([]);
  });

  it('the connection ends while drivers settle: the peer is unreachable', async () => {
    const { a, b, attach } = await nodes(DISK, { diskDelay: 60_000 });
    const attaching = attach('driver');
    await until(() => b.kernel.readDevice('10-1')?.interfaces[0]?.driver === 'usb-storage');
    a.kernel.cut('2-1');
    expect(await codeOf(attaching)).toBe('PEER_UNREACHABLE');
  });

  it('the device is never enumerated: it times out, and the port is freed', async () => {
    const { attach, ports } = await nodes(DISK, { enumerationDelay: 60_000 }, IMPATIENT);
    expect(await codeOf(attach('usbfs'))).toBe('TIMED_OUT');
    expect(ports()).toEqual([]);
  });

  it('the caller gives up: the port is freed', async () => {
    const { b, attach, ports } = await nodes(DISK, { enumerationDelay: 60_000 });
    const abort = new AbortController();
    const attaching = attach('usbfs', abort.signal);
    await until(() => b.kernel.portState(8) === 5);
    abort.abort();
    expect(await codeOf(attaching)).toBe('TIMED_OUT');
    expect(ports()).toEqual([]);
  });

  it('another node holds the device: it is busy', async () => {
    const { a, attach, target, record } = await nodes();
    await attach('usbfs');
    const c = importingNode([a.kernel]);
    expect(await codeOf(c.importer().attach(target, 'usbfs', record, never))).toBe('DEVICE_BUSY');
  });
});

describe('inspect', () => {
  it('finds the device by the record alone, also after a restart', async () => {
    const { b, attach, attached } = await nodes();
    const usable = await attach('usbfs');
    expect(b.importer().inspect(attached(), 'usbfs')).toEqual(usable);
  });

  it('finds nothing once the connection has ended', async () => {
    const { a, importer, attach, attached } = await nodes();
    await attach('usbfs');
    a.kernel.cut('2-1');
    expect(importer.inspect(attached(), 'usbfs')).toBeUndefined();
  });
});
