// The pure rules about a device: its nodes, what is missing, whether it is the right one, whether it is a keyboard.
import { describe, expect, it } from 'vitest';
import { refuseBootHid } from '../../../node/usb/boot-hid.ts';
import { isConfigured } from '../../../node/usb/configured.ts';
import type { FunctionNode, UsbDevice, UsbInterface } from '../../../node/usb/device.ts';
import { deviceNodes } from '../../../node/usb/device-nodes.ts';
import { missingFunctions } from '../../../node/usb/expected-functions.ts';
import { expectModel, expectTarget } from '../../../node/usb/target-match.ts';
import { DISK } from '../../support/fake-usb-device.ts';
import { FakeUsbipKernel } from '../../support/fake-usbip-kernel.ts';
import { targetOf } from '../../support/usbip-nodes.ts';

const kernel = new FakeUsbipKernel();
kernel.plug('2-1', DISK);
const target = targetOf(kernel, '2-1');

const face = (number: number, type: [number, number, number], driver?: string): UsbInterface => ({
  number,
  class: type[0],
  subClass: type[1],
  protocol: type[2],
  sysfsName: `2-1:1.${number}`,
  ...(driver !== undefined && { driver }),
});

const node = (kind: FunctionNode['kind'], name: string): FunctionNode => ({
  kind,
  name,
  node: { path: `/dev/${name}`, type: kind === 'block' ? 'b' : 'c', major: 8, minor: 0 },
});

function device(interfaces: UsbInterface[], functions: FunctionNode[] = []): UsbDevice {
  const read = kernel.readDevice('2-1');
  if (!read) throw new Error('no device');
  return { ...read, interfaces, functions };
}

const STORAGE: [number, number, number] = [0x08, 0x06, 0x50];
const HID: [number, number, number] = [0x03, 0x00, 0x00];

describe('device nodes', () => {
  const all = device(
    [],
    [
      node('net', 'eth1'),
      node('input', 'event5'),
      node('tty', 'ttyACM0'),
      node('scsi_generic', 'sg1'),
      node('block', 'sda10'),
      node('block', 'sda2'),
      node('block', 'sda'),
      node('usbmisc', 'lp0'),
      node('hidraw', 'hidraw0'),
    ],
  );

  it('for usbfs are the usbfs node alone', () => {
    expect(deviceNodes(all, 'usbfs')).toEqual([all.node]);
  });

  it('for host drivers are those of disks, sg, hidraw, serial ports and usbmisc, never of input or net', () => {
    expect(deviceNodes(all, 'driver').map(({ path }) => path)).toEqual(
      ['bus/usb/002/002', 'sda', 'sda2', 'sda10', 'sg1', 'hidraw0', 'ttyACM0', 'lp0'].map(
        (name) => `/dev/${name}`,
      ),
    );
  });
});

describe('missing functions', () => {
  it('of a disk whose driver is bound are certain to come', () => {
    expect(missingFunctions(device([face(0, STORAGE, 'usb-storage')]))).toEqual([
      { interface: '2-1:1.0', kind: 'block', certain: true },
      { interface: '2-1:1.0', kind: 'scsi_generic', certain: true },
    ]);
  });

  it('of a disk that is there may be none: a kernel without sg, a tape without disk', () => {
    const faces = [face(0, STORAGE, 'usb-storage')];
    expect(missingFunctions(device(faces, [node('block', 'sda')]))).toEqual([
      { interface: '2-1:1.0', kind: 'scsi_generic', certain: false },
    ]);
    expect(missingFunctions(device(faces, [node('scsi_generic', 'sg0')]))).toEqual([
      { interface: '2-1:1.0', kind: 'block', certain: false },
    ]);
  });

  it('without a driver may never come', () => {
    expect(missingFunctions(device([face(0, HID)])).map(({ certain }) => certain)).toEqual([false]);
  });

  it('of classes that make no node are none', () => {
    expect(
      missingFunctions(
        device([face(0, [0xff, 0, 0], 'vendor'), face(1, [0x0b, 0, 0]), face(2, [0x0a, 0, 0], 'cdc_acm')]),
      ),
    ).toEqual([]);
  });

  it('are counted by interface: two HID interfaces make two nodes', () => {
    const faces = [face(0, HID, 'usbhid'), face(1, HID, 'usbhid')];
    expect(missingFunctions(device(faces, [node('hidraw', 'hidraw0')]))).toEqual([
      { interface: '2-1:1.1', kind: 'hidraw', certain: true },
    ]);
    expect(missingFunctions(device(faces, [node('hidraw', 'hidraw0'), node('hidraw', 'hidraw1')]))).toEqual(
      [],
    );
  });
});

describe('the device of a claim', () => {
  const found = { vendorId: 0x46f4, productId: 1, serial: 'LAB0001' };
  const same = target.fingerprint ?? '';
  const CHANGED = expect.objectContaining({ code: 'DEVICE_CHANGED' });

  it('is recognised', () => {
    expect(() => expectTarget(found, same, target)).not.toThrow();
    expect(() => expectModel(found, target)).not.toThrow();
  });

  it.each([
    ['vendor', { ...found, vendorId: 1 }, same],
    ['product', { ...found, productId: 7 }, same],
    ['serial', { ...found, serial: 'OTHER' }, same],
    ['missing serial', { vendorId: 0x46f4, productId: 1 }, same],
    ['fingerprint', found, 'sha256:0'],
  ])('is another by its %s', (_, other, print) => {
    expect(() => expectTarget(other, print, target)).toThrow(CHANGED);
  });

  it('without a serial is another once it has one', () => {
    const { serial: _, ...nameless } = target;
    expect(() => expectTarget(found, same, nameless)).toThrow(CHANGED);
  });

  it('is recognised by a serial that was cut to 64 bytes for the slice, and by no shorter one', () => {
    const long = 'ä'.repeat(40);
    const cut = 'ä'.repeat(32);
    expect(() => expectTarget({ ...found, serial: long }, same, { ...target, serial: cut })).not.toThrow();
    expect(() => expectTarget({ ...found, serial: long }, same, { ...target, serial: 'ä' })).toThrow(CHANGED);
  });

  it('is taken without a fingerprint when its owner published none', () => {
    const { fingerprint: _, ...older } = target;
    expect(() => expectTarget(found, 'sha256:0', older)).not.toThrow();
  });

  it('is another model already by the reply of its owner', () => {
    expect(() => expectModel({ vendorId: 0x46f4, productId: 2 }, target)).toThrow(CHANGED);
  });
});

describe('boot HID', () => {
  it.each([
    [[3, 1, 1], true],
    [[3, 1, 2], true],
    [[3, 0, 0], false],
    [[3, 1, 0], false],
    [[8, 1, 1], false],
  ] as [[number, number, number], boolean][])('%j: %s', (type, refused) => {
    const check = () => refuseBootHid(device([face(0, STORAGE), face(1, type)]));
    if (refused) expect(check).toThrow(expect.objectContaining({ code: 'KEYBOARD_NEEDS_USBFS' }));
    else expect(check).not.toThrow();
  });
});

describe('a device is configured', () => {
  it('when the folder of each interface is there', () => {
    const read = kernel.readDevice('2-1');
    expect(read && isConfigured(kernel.tree, read)).toBe(true);
  });

  it('not while usbip-host has it, though its descriptors name interfaces', async () => {
    const other = new FakeUsbipKernel();
    other.plug('2-1', DISK);
    await other.tree.write('/sys/bus/usb/drivers/usb/unbind', '2-1');
    const read = other.readDevice('2-1');
    expect(read?.interfaces).toHaveLength(1);
    expect(read && isConfigured(other.tree, read)).toBe(false);
  });
});
