// The virtual controllers: which files are read, what is written.
import { describe, expect, it } from 'vitest';
import { Vhci } from '../../../node/usbip/vhci.ts';
import { FakeSysfs } from '../../support/fake-sysfs.ts';
import { FakeUsbipKernel } from '../../support/fake-usbip-kernel.ts';
import { codeOf } from '../../support/usbip-nodes.ts';

describe('ports', () => {
  it('of all controllers are listed once, in order', () => {
    const kernel = new FakeUsbipKernel({ controllers: 3, portsPerHub: 4 });
    const ports = new Vhci(kernel.tree).ports();
    expect(ports.map(({ port }) => port)).toEqual(Array.from({ length: 24 }, (_, port) => port));
    expect(ports.filter(({ hub }) => hub === 'ss')).toHaveLength(12);
  });

  it('are none without the module', () => {
    const kernel = new FakeUsbipKernel({ modules: [] });
    expect(new Vhci(kernel.tree).ports()).toEqual([]);
  });

  it('are found where the controller is a faux device', () => {
    const tree = new FakeSysfs(() => undefined);
    tree.file('/sys/devices/faux/vhci_hcd.0/status', 'hub port\nhs  0000 004 000 00000000 000000 0-0');
    expect(new Vhci(tree).port(0)).toEqual({ port: 0, hub: 'hs', state: 4, devid: 0 });
  });
});

describe('attach', () => {
  it.each([
    ['6.12.1', 6],
    ['6.1.0-44-amd64', 5],
  ])('on %s writes speed %d for super plus', async (release, speed) => {
    const kernel = new FakeUsbipKernel({ release });
    await codeOf(new Vhci(kernel.tree).attach(8, 17, 0x20005, 6));
    expect(kernel.writes).toEqual([`/sys/devices/platform/vhci_hcd.0/attach <- 8 17 131077 ${speed}`]);
  });
});

describe('isolation', () => {
  it('is written to the root hubs of vhci only, and once', async () => {
    const kernel = new FakeUsbipKernel({ controllers: 2 });
    const vhci = new Vhci(kernel.tree);
    await vhci.isolate();
    await vhci.isolate();
    expect(kernel.writes).toEqual(
      [10, 11, 12, 9].map((bus) => `/sys/bus/usb/devices/usb${bus}/interface_authorized_default <- 0`),
    );
  });

  it('fails where the kernel can not do it, rather than to go on without', async () => {
    const tree = new FakeSysfs(() => undefined);
    tree.file('/sys/devices/platform/vhci_hcd.0/usb9/bDeviceClass', '09');
    tree.link('/sys/bus/usb/devices/usb9', '/sys/devices/platform/vhci_hcd.0/usb9');
    expect(await codeOf(new Vhci(tree).isolate())).toBe('KERNEL');
  });
});
