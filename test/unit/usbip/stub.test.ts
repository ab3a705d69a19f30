// usbip-host: a device goes to it and comes back, whatever happens between.
import { describe, expect, it } from 'vitest';
import { STUB_STATE, Stub } from '../../../node/usbip/stub.ts';
import { DISK, HUB, KEYBOARD, TOKEN } from '../../support/fake-usb-device.ts';
import { FakeUsbipKernel } from '../../support/fake-usbip-kernel.ts';
import { codeOf } from '../../support/usbip-nodes.ts';

function node(...plugged: [string, typeof DISK][]) {
  const kernel = new FakeUsbipKernel();
  for (const [busId, spec] of plugged) kernel.plug(busId, spec);
  return { kernel, stub: new Stub(kernel.tree), driver: (busId: string) => kernel.readDevice(busId)?.driver };
}

describe('binding', () => {
  it('takes the device from its driver and makes it available', async () => {
    const { stub, driver } = node(['2-1', DISK]);
    await stub.bind('2-1');
    expect(driver('2-1')).toBe('usbip-host');
    expect(stub.state('2-1')).toBe(STUB_STATE.available);
    expect(stub.bound()).toEqual(['2-1']);
  });

  it('writes bus ids without a newline', async () => {
    const { kernel, stub } = node(['2-1', DISK]);
    await stub.bind('2-1');
    expect(kernel.writes).toEqual([
      '/sys/bus/usb/drivers/usb/unbind <- 2-1',
      '/sys/bus/usb/drivers/usbip-host/match_busid <- add 2-1',
      '/sys/bus/usb/drivers/usbip-host/bind <- 2-1',
    ]);
  });

  it('of a device that is bound changes nothing', async () => {
    const { kernel, stub } = node(['2-1', DISK]);
    await stub.bind('2-1');
    const writes = kernel.writes.length;
    await stub.bind('2-1');
    expect(kernel.writes).toHaveLength(writes);
  });

  it('that fails leaves the device with its native driver', async () => {
    const { kernel, stub, driver } = node(['2-1', DISK]);
    kernel.failNextBind = true;
    expect(await codeOf(stub.bind('2-1'))).toBe('KERNEL');
    expect(driver('2-1')).toBe('usb');
    expect(kernel.readDevice('2-1')?.interfaces[0]?.driver).toBe('usb-storage');
  });

  it('of a hub fails, and its ports stay', async () => {
    const { stub, driver } = node(['1-1', HUB]);
    expect(await codeOf(stub.bind('1-1'))).toBe('KERNEL');
    expect(driver('1-1')).toBe('usb');
  });

  it('without the module fails before the driver is touched', async () => {
    const kernel = new FakeUsbipKernel({ modules: ['vhci-hcd'] });
    kernel.plug('2-1', DISK);
    await expect(new Stub(kernel.tree).bind('2-1')).rejects.toMatchObject({
      code: 'KERNEL',
      hint: expect.stringContaining('usbip-host'),
    });
    expect(kernel.writes).toEqual([]);
  });

  it('of a seventeenth device says that sixteen are the most', async () => {
    const kernel = new FakeUsbipKernel();
    const stub = new Stub(kernel.tree);
    for (let port = 1; port <= 17; port++) kernel.plug(`1-${port}`, TOKEN);
    for (let port = 1; port <= 16; port++) await stub.bind(`1-${port}`);
    await expect(stub.bind('1-17')).rejects.toMatchObject({
      code: 'KERNEL',
      message: expect.stringContaining('16'),
    });
    expect(kernel.readDevice('1-17')?.driver).toBe('usb');
  });
});

describe('giving back', () => {
  it('binds the native driver and its interfaces, and leaves no entry in the table', async () => {
    const { kernel, stub, driver } = node(['2-1', DISK]);
    await stub.bind('2-1');
    await stub.unbind('2-1');
    expect(driver('2-1')).toBe('usb');
    expect(kernel.readDevice('2-1')?.interfaces[0]?.driver).toBe('usb-storage');
    expect(kernel.matches()).toEqual([]);
    expect(stub.state('2-1')).toBeUndefined();
  });

  it('can be done twice, and for a device that is gone', async () => {
    const { kernel, stub, driver } = node(['2-1', DISK]);
    await stub.bind('2-1');
    await stub.unbind('2-1');
    await stub.unbind('2-1');
    expect(driver('2-1')).toBe('usb');
    kernel.unplug('2-1');
    await stub.unbind('2-1');
  });

  it('repairs a device that has no driver at all', async () => {
    const { kernel, stub, driver } = node(['2-1', DISK]);
    await kernel.tree.write('/sys/bus/usb/drivers/usb/unbind', '2-1');
    await stub.unbind('2-1');
    expect(driver('2-1')).toBe('usb');
  });

  it('lets the device be exported again, as often as one likes', async () => {
    const { kernel, stub, driver } = node(['2-1', DISK]);
    for (let time = 0; time < 20; time++) {
      await stub.bind('2-1');
      expect(driver('2-1')).toBe('usbip-host');
      await stub.unbind('2-1');
      expect(driver('2-1')).toBe('usb');
    }
    expect(kernel.matches()).toEqual([]);
  });

  it('holds the device meanwhile, and not longer', async () => {
    const { kernel, stub } = node(['2-1', DISK]);
    await stub.bind('2-1');
    expect(kernel.sysfs.held).toEqual(new Set());
    const givingBack = stub.unbind('2-1');
    expect(kernel.sysfs.held.size).toBe(1);
    await givingBack;
    expect(kernel.sysfs.held).toEqual(new Set());
  });

  it('touches no entry of the table whose device was pulled out', async () => {
    const { kernel, stub } = node(['2-1', DISK]);
    await stub.bind('2-1');
    kernel.unplug('2-1');
    const writes = kernel.writes.length;
    await stub.unbind('2-1');
    expect(kernel.writes).toHaveLength(writes);
  });

  it('works for what is plugged into a port whose exported device was pulled out', async () => {
    const { kernel, stub, driver } = node(['2-1', DISK]);
    await stub.bind('2-1');
    kernel.unplug('2-1');
    kernel.plug('2-1', KEYBOARD);
    expect(driver('2-1')).toBe('usb');
    await stub.bind('2-1');
    await stub.unbind('2-1');
    expect(driver('2-1')).toBe('usb');
    expect(kernel.matches()).toEqual([]);
  });

  it('after a bind that failed does not keep the next from working', async () => {
    const { kernel, stub, driver } = node(['2-1', DISK]);
    kernel.failNextBind = true;
    expect(await codeOf(stub.bind('2-1'))).toBe('KERNEL');
    await stub.unbind('2-1');
    expect(driver('2-1')).toBe('usb');
    await stub.bind('2-1');
    expect(driver('2-1')).toBe('usbip-host');
  });
});

describe('connection', () => {
  it('that does not exist can not be ended', async () => {
    const { stub } = node(['2-1', DISK]);
    await stub.bind('2-1');
    expect(await codeOf(stub.disconnect('2-1'))).toBe('KERNEL');
  });

  it('must be a socket', async () => {
    const { stub } = node(['2-1', DISK]);
    await stub.bind('2-1');
    expect(await codeOf(stub.connect('2-1', 9999))).toBe('KERNEL');
    expect(stub.state('2-1')).toBe(STUB_STATE.available);
  });
});
