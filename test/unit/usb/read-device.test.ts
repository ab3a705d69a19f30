// What is made of a device's folder, whole or damaged.
import { describe, expect, it } from 'vitest';
import { type ReadProblem, readUsbDevice } from '../../../node/usb/read-device.ts';
import type { SysfsTree } from '../../../node/usb/sysfs-tree.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { type MemoryTree, memoryTree } from '../../support/memory-tree.ts';
import { hostFiles, sysfsPathOf, usbDeviceFiles } from '../../support/sysfs-device.ts';
import { file, type TreeFile } from '../../support/tree-file.ts';
import {
  adapterSpec,
  diskSpec,
  hubSpec,
  keyboardSpec,
  networkSpec,
  type UsbDeviceSpec,
  VHCI_CONTROLLER,
} from '../../support/usb-spec.ts';

const DISK = diskSpec({ busId: '3-2.1', deviceNumber: 17 });

function plugged(spec: UsbDeviceSpec, ...others: TreeFile[]): MemoryTree {
  return memoryTree([...hostFiles([3]), ...usbDeviceFiles(spec), ...others]);
}

function read(tree: SysfsTree, busId = '3-2.1') {
  const problems: ReadProblem[] = [];
  return { device: readUsbDevice(tree, busId, { onProblem: (problem) => problems.push(problem) }), problems };
}

/** The disk with some of its files replaced, or taken away where the text is undefined. */
function damaged(files: Record<string, string | Uint8Array | undefined>, spec = DISK): MemoryTree {
  const tree = plugged(spec);
  for (const [name, content] of Object.entries(files)) {
    const path = `${sysfsPathOf(spec)}/${name}`;
    if (content === undefined) tree.remove([path]);
    else tree.add([{ path, kind: 'file', content }]);
  }
  return tree;
}

describe('a flash drive', () => {
  it('is read whole', () => {
    const { device, problems } = read(plugged(DISK));
    expect(problems).toEqual([]);
    expect(device).toMatchObject({
      busId: '3-2.1',
      sysfsPath: '/sys/devices/pci0000:00/0000:00:14.0/usb3/3-2/3-2.1',
      portPath: '0000:00:14.0-2.1',
      busNumber: 3,
      deviceNumber: 17,
      vendorId: 0x0951,
      productId: 0x1666,
      bcdDevice: 0x0100,
      deviceClass: 0,
      manufacturer: 'Kingston',
      product: 'DataTraveler 3.0',
      serial: 'E0D55EA5741',
      speed: 5000,
      configurationValue: 1,
      configurationCount: 1,
      interfaceCount: 1,
      interfaces: [
        { number: 0, class: 8, subClass: 6, protocol: 0x50, sysfsName: '3-2.1:1.0', driver: 'usb-storage' },
      ],
      node: { path: '/dev/bus/usb/003/017', type: 'c', major: 189, minor: 272 },
      driver: 'usb',
      isHub: false,
      imported: false,
    });
    expect(device?.descriptors?.length).toBe(18 + 9 + 9 + 7 + 6);
  });

  it('has a disk, its partition and the SCSI node as functions', () => {
    expect(read(plugged(DISK)).device?.functions).toEqual([
      { kind: 'block', name: 'sda', node: { path: '/dev/sda', type: 'b', major: 8, minor: 0 } },
      { kind: 'block', name: 'sda1', node: { path: '/dev/sda1', type: 'b', major: 8, minor: 1 } },
      { kind: 'scsi_generic', name: 'sg0', node: { path: '/dev/sg0', type: 'c', major: 21, minor: 0 } },
    ]);
  });

  it('shows the classes of alternate setting 0 whatever its driver has chosen', () => {
    const uas = { class: 8, subClass: 6, protocol: 0x62 };
    const face = { class: 8, subClass: 6, protocol: 0x50, alternates: [uas], current: 1, driver: 'uas' };
    const spec = { ...DISK, configurations: [{ value: 1, interfaces: [face] }] };
    expect(read(plugged(spec)).device?.interfaces).toMatchObject([{ protocol: 0x50, driver: 'uas' }]);
  });
});

describe('an exported device', () => {
  it('has the interfaces of its descriptors, without drivers', () => {
    const { device, problems } = read(plugged({ ...DISK, driver: 'usbip-host' }));
    expect(problems).toEqual([]);
    expect(device).toMatchObject({
      driver: 'usbip-host',
      configurationValue: 0,
      interfaceCount: 1,
      interfaces: [{ number: 0, class: 8, subClass: 6, protocol: 0x50, sysfsName: '3-2.1:1.0' }],
      functions: [],
    });
    expect(device?.interfaces[0]).not.toHaveProperty('driver');
  });

  it('has those of the configuration that the kernel would choose', () => {
    const spec = networkSpec({ busId: '3-2.1', deviceNumber: 17, driver: 'usbip-host' });
    expect(read(plugged(spec)).device?.interfaces.map(({ sysfsName }) => sysfsName)).toEqual([
      '3-2.1:2.0',
      '3-2.1:2.1',
    ]);
  });
});

describe('functions', () => {
  const names = (spec: UsbDeviceSpec) =>
    read(plugged(spec), spec.busId).device?.functions.map(({ kind, node, name }) => [kind, name, node?.path]);
  const place = { busId: '3-1', deviceNumber: 5 };
  const withFunction = (kind: 'tty' | 'usbmisc' | 'block', name: string): UsbDeviceSpec => ({
    ...adapterSpec(place),
    configurations: [
      { value: 1, interfaces: [{ class: 0xff, subClass: 0, protocol: 0, functions: [{ kind, name }] }] },
    ],
  });

  it('are found where each driver puts them', () => {
    expect(names(adapterSpec(place))).toEqual([['tty', 'ttyUSB0', '/dev/ttyUSB0']]);
    expect(names(withFunction('tty', 'ttyACM0'))).toEqual([['tty', 'ttyACM0', '/dev/ttyACM0']]);
    expect(names(withFunction('usbmisc', 'lp0'))).toEqual([['usbmisc', 'lp0', '/dev/usb/lp0']]);
    expect(names(withFunction('block', 'mmcblk0'))).toEqual([['block', 'mmcblk0', '/dev/mmcblk0']]);
    expect(names(keyboardSpec(place))).toEqual([
      ['hidraw', 'hidraw0', '/dev/hidraw0'],
      ['input', 'event3', '/dev/input/event3'],
    ]);
    expect(names(networkSpec(place))).toEqual([['net', 'eth1', undefined]]);
  });

  it('of a device behind a hub are not those of the hub', () => {
    const tree = plugged(hubSpec({ busId: '3-2', deviceNumber: 4 }), ...usbDeviceFiles(DISK));
    expect(read(tree, '3-2').device).toMatchObject({ isHub: true, functions: [] });
  });

  it('are left out while their numbers are missing, and keep to /dev', () => {
    const disk = `${sysfsPathOf(DISK)}/3-2.1:1.0/host17/target17:0:0/17:0:0:0/block/sda`;
    const tree = plugged(
      DISK,
      file(`${disk}/uevent`, 'DEVNAME=../etc/shadow'),
      file(`${disk}/sda1/dev`, 'x:y'),
    );
    expect(read(tree).device?.functions.map(({ node }) => node?.path)).toEqual(['/dev/sda', '/dev/sg0']);
  });
});

describe('a device that tells little or nonsense', () => {
  it('is kept without its strings', () => {
    const { device, problems } = read(
      damaged({ serial: undefined, product: undefined, manufacturer: undefined }),
    );
    expect(device).toMatchObject({ busId: '3-2.1', vendorId: 0x0951 });
    expect(Object.keys(device ?? {})).not.toEqual(expect.arrayContaining(['serial']));
    expect(problems).toEqual([]);
  });

  it.each([
    ['blanks only', '  \n', undefined],
    ['a blank around it', '  S 1 \n', 'S 1'],
    ['bytes that are not UTF-8', Buffer.from([0x41, 0xff, 0xfe, 0x42]), 'A\ufffd\ufffdB'],
    ['a terminal escape', 'A\x1b[31mB\n', 'A\ufffd[31mB'],
    ['a NUL and a line break inside', 'A\0B\nC\n', 'A\ufffdB\ufffdC'],
    ['a direction override', 'A\u202eB\n', 'A\ufffdB'],
    ['200 bytes', `${'x'.repeat(200)}\n`, 'x'.repeat(200)],
  ])('has a clean text from one with %s', (_, content, expected) => {
    expect(read(damaged({ serial: content })).device?.serial).toBe(expected);
  });

  it('has a speed with a fraction', () => {
    expect(read(plugged(keyboardSpec({ busId: '3-1', deviceNumber: 5 })), '3-1').device?.speed).toBe(1.5);
  });

  it.each(['fast\n', '', 'unknown\n', '-5\n', '1e9\n', undefined])(
    'is kept when its speed is %j',
    (speed) => {
      const { device, problems } = read(damaged({ speed }));
      expect(device?.speed).toBe(0);
      expect(problems.map(({ busId }) => busId)).toEqual(['3-2.1']);
    },
  );

  it('takes from its descriptors what its files garble', () => {
    const { device } = read(
      damaged({ idVendor: 'zz\n', idProduct: '', bcdDevice: '99999\n', bDeviceClass: undefined }),
    );
    expect(device).toMatchObject({ vendorId: 0x0951, productId: 0x1666, bcdDevice: 0x0100, deviceClass: 0 });
  });

  it('takes from its files what its descriptors lack', () => {
    const { device, problems } = read(damaged({ descriptors: undefined }));
    expect(device).toMatchObject({
      interfaces: [{ class: 8, driver: 'usb-storage' }],
      configurationCount: 1,
    });
    expect(problems).toHaveLength(1);
  });

  it('has its number from the uevent when the file for it is gone', () => {
    expect(read(damaged({ devnum: undefined })).device?.deviceNumber).toBe(17);
  });

  it.each([
    ['number', { devnum: 'x', uevent: '' }],
    ['model', { idVendor: 'x', descriptors: Buffer.of(1, 2, 3) }],
  ])('is skipped with a reason when it has no %s', (_, files) => {
    const { device, problems } = read(damaged(files));
    expect(device).toBeUndefined();
    expect(problems).toMatchObject([{ busId: '3-2.1' }]);
  });

  it('is skipped with a reason when a file may not be read', () => {
    const tree = plugged(DISK);
    const refusing: SysfsTree = Object.assign(Object.create(tree), {
      readBytes: () => {
        throw new TypedError('KERNEL', 'read of serial: EACCES');
      },
      readText: tree.readText.bind(tree),
      resolve: tree.resolve.bind(tree),
    });
    expect(read(refusing)).toEqual({
      device: undefined,
      problems: [{ busId: '3-2.1', reason: 'read of serial: EACCES' }],
    });
  });
});

describe('a device that goes', () => {
  it('is nothing, and no problem', () => {
    expect(read(memoryTree(hostFiles([3])))).toEqual({ device: undefined, problems: [] });
  });

  it.each(['idVendor', 'descriptors', 'speed', 'serial', 'bNumConfigurations'])(
    'is nothing when it goes while %s is read',
    (name) => {
      const tree = plugged(DISK);
      const vanish = (path: string) => {
        if (path.endsWith(`/${name}`)) tree.remove([sysfsPathOf(DISK)]);
      };
      const vanishing: SysfsTree = {
        readText: (path) => {
          vanish(path);
          return tree.readText(path);
        },
        readBytes: (path) => {
          vanish(path);
          return tree.readBytes(path);
        },
        list: (path) => tree.list(path),
        exists: (path) => tree.exists(path),
        resolve: (path) => tree.resolve(path),
        deviceNumbers: (path) => tree.deviceNumbers(path),
        write: (path, text) => tree.write(path, text),
        hold: (path) => tree.hold(path),
      };
      expect(read(vanishing).device).toBeUndefined();
    },
  );
});

describe('an imported device', () => {
  it('is told by its controller', () => {
    const spec = diskSpec({ busId: '9-1', deviceNumber: 2, controller: VHCI_CONTROLLER });
    const tree = memoryTree([...hostFiles([9], VHCI_CONTROLLER), ...usbDeviceFiles(spec)]);
    expect(read(tree, '9-1').device).toMatchObject({ imported: true, portPath: 'vhci_hcd.0-1' });
  });
});

describe('strings, which wait for the lock of the device', () => {
  const read2 = (tree: MemoryTree, before: MemoryTree) => {
    const former = readUsbDevice(before, '3-2.1');
    return readUsbDevice(tree, '3-2.1', { former })?.serial;
  };

  it('are not read again while the same device stays', () => {
    expect(read2(damaged({ serial: 'NEW\n' }), plugged(DISK))).toBe('E0D55EA5741');
  });

  it('are read anew for another device in the port', () => {
    const another = diskSpec({ busId: '3-2.1', deviceNumber: 18, serial: 'OTHER' });
    expect(read2(plugged(another), plugged(DISK))).toBe('OTHER');
    const changed = diskSpec({ busId: '3-2.1', deviceNumber: 17, serial: 'OTHER', bcdDevice: 0x0200 });
    expect(read2(plugged(changed), plugged(DISK))).toBe('OTHER');
  });
});
