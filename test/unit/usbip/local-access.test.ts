// A device of this node, made usable for a container and given back.
import { describe, expect, it } from 'vitest';
import type { AccessMode } from '../../../node/dra/device-access.ts';
import { KeyedLock } from '../../../node/run/keyed-lock.ts';
import type { UsbDevice } from '../../../node/usb/device.ts';
import { fingerprint } from '../../../node/usb/fingerprint.ts';
import { KernelNews } from '../../../node/usb/kernel-news.ts';
import { LocalAccess } from '../../../node/usb/local-access.ts';
import { hostDeviceAccess } from '../../../node/usbip/device-access.ts';
import { Stub } from '../../../node/usbip/stub.ts';
import type { FakeKernelOptions } from '../../support/fake-kernel-options.ts';
import { DISK, type FakeUsbSpec, KEYBOARD, MODEM, TOKEN } from '../../support/fake-usb-device.ts';
import { FakeUsbipKernel } from '../../support/fake-usbip-kernel.ts';
import { keptLog } from '../../support/kept-log.ts';
import {
  codeOf,
  importingNode,
  never,
  ownerNode,
  recorder,
  SETTLE,
  targetOf,
  until,
} from '../../support/usbip-nodes.ts';

function node(
  spec: FakeUsbSpec,
  options: FakeKernelOptions = {},
  inUse: (device: UsbDevice) => string | undefined = () => undefined,
  quiet = SETTLE.quiet,
) {
  const kernel = new FakeUsbipKernel(options);
  const news = new KernelNews();
  const lock = new KeyedLock();
  kernel.plug('2-1', spec);
  const stub = new Stub(kernel.tree);
  const local = new LocalAccess({
    tree: kernel.tree,
    stub,
    lock,
    readDevice: kernel.readDevice,
    fingerprint,
    inUse,
    news,
    log: keptLog(),
    settle: { ...SETTLE, quiet, certain: options.diskDelay === undefined ? SETTLE.certain : 80 },
  });
  const target = targetOf(kernel, '2-1');
  const { records, record } = recorder();
  const attach = (mode: AccessMode) => local.attach(target, mode, record, never);
  const drivers = () => kernel.readDevice('2-1')?.interfaces.map(({ driver }) => driver);
  return { kernel, news, lock, stub, local, target, records, record, attach, drivers };
}

describe('local access for usbfs', () => {
  it('takes all interfaces from their drivers and gives the usbfs node', async () => {
    const { attach, drivers, records } = node(MODEM);
    const usable = await attach('usbfs');
    expect(usable.nodes.map(({ path }) => path)).toEqual(['/dev/bus/usb/002/002']);
    expect(drivers()).toEqual([undefined, undefined]);
    expect(records).toEqual([ATTACHED]);
  });

  it('leaves no mark by which a reset would bring the host driver back', async () => {
    const { kernel, attach } = node(DISK);
    await attach('usbfs');
    expect(kernel.writes).toEqual(['/sys/bus/usb/drivers/usb-storage/unbind <- 2-1:1.0']);
  });

  it('makes an interface claimable that was not authorised', async () => {
    const { kernel, attach } = node(TOKEN);
    await kernel.tree.write('/sys/bus/usb/devices/2-1:1.0/authorized', '0');
    await attach('usbfs');
    expect(kernel.tree.readText('/sys/bus/usb/devices/2-1:1.0/authorized')?.trim()).toBe('1');
  });

  it('gives the drivers back on release, however often', async () => {
    const { attach, drivers, local, records } = node(MODEM);
    await attach('usbfs');
    for (let i = 0; i < 2; i++) if (records[0]?.kind === 'local') await local.release(records[0]);
    expect(drivers()).toEqual(['cdc_acm', 'cdc_acm']);
  });
});

describe('local access for host drivers', () => {
  it('leaves the native drivers and gives their nodes', async () => {
    const { attach, drivers } = node(DISK);
    const { nodes } = await attach('driver');
    expect(drivers()).toEqual(['usb-storage']);
    expect(nodes.map(({ path }) => path)).toEqual([
      '/dev/bus/usb/002/002',
      '/dev/sda',
      '/dev/sda1',
      '/dev/sg0',
    ]);
  });

  it('does not wait for partitions of a disk that the kernel has announced', async () => {
    const { kernel, attach, news } = node(DISK, {}, undefined, 60_000);
    const attached = attach('driver');
    await until(() => kernel.tree.exists('/dev/sda1'));
    for (const DEVNAME of ['sda', 'sda1']) {
      const devpath = `/devices/usb2/2-1/${DEVNAME}`;
      news.take({ action: 'add', devpath, env: { SUBSYSTEM: 'block', DEVNAME } });
    }
    expect((await attached).nodes.map(({ path }) => path)).toContain('/dev/sda1');
  });

  it('waits until no partition has come for a while when the disk is not announced', async () => {
    const begin = performance.now();
    const { attach } = node(DISK, {}, undefined, 50);
    await attach('driver');
    expect(performance.now() - begin).toBeGreaterThanOrEqual(50);
  });

  it('binds drivers that a former claim took away', async () => {
    const { attach, drivers } = node(DISK);
    await attach('usbfs');
    await attach('driver');
    expect(drivers()).toEqual(['usb-storage']);
  });

  it('refuses a keyboard, untouched', async () => {
    const { kernel, attach, records } = node(KEYBOARD);
    expect(await codeOf(attach('driver'))).toBe('KEYBOARD_NEEDS_USBFS');
    expect([records, kernel.writes]).toEqual([[], []]);
  });

  it('says what is missing when no disk comes', async () => {
    const { attach } = node(DISK, { diskDelay: 60_000 });
    expect(await codeOf(attach('driver'))).toBe('TIMED_OUT');
  });
});

describe('local access is refused', () => {
  it('for a device that the node itself uses, untouched', async () => {
    const { kernel, attach, records } = node(DISK, {}, () => 'mounted: sda1 on /');
    expect(await codeOf(attach('usbfs'))).toBe('DEVICE_BUSY');
    expect([records, kernel.writes]).toEqual([[], []]);
  });

  it('for a device that is gone', async () => {
    const { kernel, attach } = node(DISK);
    kernel.unplug('2-1');
    expect(await codeOf(attach('usbfs'))).toBe('DEVICE_NOT_FOUND');
  });

  it('for another device in the same port, untouched', async () => {
    const { kernel, attach, records } = node(DISK);
    kernel.unplug('2-1');
    kernel.plug('2-1', { ...DISK, serial: 'OTHER' });
    expect(await codeOf(attach('usbfs'))).toBe('DEVICE_CHANGED');
    expect([records, kernel.writes]).toEqual([[], []]);
  });

  it('for a device that another node holds', async () => {
    await using a = await ownerNode();
    a.kernel.plug('2-1', DISK);
    const target = targetOf(a.kernel, '2-1');
    const b = importingNode([a.kernel]);
    const { record } = recorder();
    await b
      .importer()
      .attach({ ...target, peer: { host: '127.0.0.1', port: a.port } }, 'usbfs', record, never);
    const local = new LocalAccess({
      tree: a.kernel.tree,
      stub: a.stub,
      lock: a.lock,
      readDevice: a.kernel.readDevice,
      fingerprint,
      inUse: () => undefined,
      news: new KernelNews(),
      log: a.log,
    });
    expect(await codeOf(local.attach(target, 'usbfs', record, never))).toBe('DEVICE_BUSY');
  });
});

describe('local access and an export of the same device', () => {
  it('never both have it: the export that was first keeps the device', async () => {
    const { lock, stub, attach, records } = node(DISK, { isSocket: () => true });
    let attached: Promise<unknown> = Promise.resolve();
    await lock.run('2-1', async () => {
      attached = attach('usbfs').catch((error: unknown) => error);
      await stub.bind('2-1');
      await stub.connect('2-1', 1);
    });
    expect(await attached).toMatchObject({ code: 'DEVICE_BUSY' });
    expect(records).toEqual([]);
  });
});

/** The first device on bus 2 has number 2. */
const ATTACHED = { kind: 'local', mode: 'usbfs', busId: '2-1', devid: 0x20002 } as const;

describe('local access', () => {
  it('released does not touch the device that came into the port since', async () => {
    const { kernel, local, attach } = node(DISK);
    await attach('usbfs');
    kernel.unplug('2-1');
    kernel.plug('2-1', KEYBOARD);
    await local.attach(targetOf(kernel, '2-1'), 'usbfs', async () => undefined, never);
    await local.release(ATTACHED);
    expect(kernel.readDevice('2-1')?.interfaces[0]?.driver).toBeUndefined();
    expect(local.inspect(ATTACHED, 'usbfs')).toBeUndefined();
  });

  it('takes a device back first that an ended export left with usbip-host', async () => {
    const { stub, attach, drivers } = node(DISK);
    await stub.bind('2-1');
    await attach('driver');
    expect(drivers()).toEqual(['usb-storage']);
  });

  it('is released without a word when the device is gone', async () => {
    const { kernel, local } = node(DISK);
    kernel.unplug('2-1');
    await local.release(ATTACHED);
  });

  it('released does not disturb a device that is exported by now', async () => {
    const { kernel, stub, local } = node(DISK);
    await stub.bind('2-1');
    await local.release(ATTACHED);
    expect(kernel.readDevice('2-1')?.driver).toBe('usbip-host');
  });

  it('is inspected by its record', async () => {
    const { kernel, local, attach } = node(DISK);
    const usable = await attach('usbfs');
    expect(local.inspect(ATTACHED, 'usbfs')).toEqual(usable);
    kernel.unplug('2-1');
    expect(local.inspect(ATTACHED, 'usbfs')).toBeUndefined();
  });

  it('is what a target without a peer gets', async () => {
    const { kernel, local, target, record } = node(DISK);
    const access = hostDeviceAccess(local, importingNode([]).importer(), 'refused', () => undefined);
    const usable = await access.attach(target, 'usbfs', record, never);
    expect(usable.busId).toBe('2-1');
    expect(access.inspect(ATTACHED, 'usbfs')).toEqual(usable);
    await access.release(ATTACHED);
    expect(kernel.readDevice('2-1')?.interfaces[0]?.driver).toBe('usb-storage');
  });
});
