// What every SysfsTree promises: the one of a real host and the one in memory pass the same tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hostTree } from '../../../node/usb/host-tree.ts';
import { readUsbDevice } from '../../../node/usb/read-device.ts';
import type { SysfsTree } from '../../../node/usb/sysfs-tree.ts';
import { errorCode } from '../../support/error-code.ts';
import { memoryTree } from '../../support/memory-tree.ts';
import { hostFiles, usbDeviceFiles, usbDevicePaths } from '../../support/sysfs-device.ts';
import { file, link, removeTree, type TreeFile, writeTree } from '../../support/tree-file.ts';
import { adapterSpec, diskSpec, hubSpec, keyboardSpec, networkSpec } from '../../support/usb-spec.ts';

interface Place {
  readonly tree: SysfsTree;
  remove(paths: readonly string[]): void;
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const places: Record<string, (files: readonly TreeFile[]) => Place> = {
  'below a folder': (files) => {
    const root = mkdtempSync(join(tmpdir(), 'sysfs-'));
    folders.push(root);
    writeTree(root, files);
    const remove = (paths: readonly string[]) =>
      removeTree(
        root,
        paths.map((path) => ({ path, kind: 'dir' })),
      );
    return { tree: hostTree(root), remove };
  },
  'in memory': (files) => {
    const tree = memoryTree(files);
    return { tree, remove: (paths) => tree.remove(paths) };
  },
};

const FILES: TreeFile[] = [
  file('/sys/devices/pci/usb1/1-1/serial', 'S1'),
  file('/sys/devices/pci/usb1/1-1/descriptors', Buffer.of(0x12, 0x01, 0xff, 0x00)),
  file('/sys/devices/pci/usb1/1-1/authorized', 1),
  { path: '/sys/empty', kind: 'dir' },
  link('/sys/bus/usb/devices/1-1', '/sys/devices/pci/usb1/1-1'),
  link('/sys/devices/pci/usb1/1-1/subsystem', '/sys/bus/usb'),
  link('/sys/dangling', '/sys/nowhere'),
  link('/sys/circle/a', '/sys/circle/b'),
  link('/sys/circle/b', '/sys/circle/a'),
];

describe.each(Object.keys(places))('a tree %s', (name) => {
  const open = (files: readonly TreeFile[] = FILES) => (places[name] as (typeof places)[string])(files);

  it('reads text and bytes through links', () => {
    const { tree } = open();
    expect(tree.readText('/sys/bus/usb/devices/1-1/serial')).toBe('S1\n');
    expect(tree.readBytes('/sys/bus/usb/devices/1-1/descriptors')).toEqual(
      Uint8Array.of(0x12, 0x01, 0xff, 0x00),
    );
  });

  it.each(['/sys/none', '/sys/dangling', '/sys/circle/a', '/sys/bus/usb/devices/1-1/serial/below'])(
    'has nothing at %s',
    (path) => {
      const { tree } = open();
      expect(tree.readText(path)).toBeUndefined();
      expect(tree.readBytes(path)).toBeUndefined();
      expect(tree.list(path)).toEqual([]);
      expect(tree.exists(path)).toBe(false);
      expect(tree.resolve(path)).toBeUndefined();
      expect(tree.deviceNumbers(path)).toBeUndefined();
    },
  );

  it('has no text in a folder, and no device numbers in a file', () => {
    const { tree } = open();
    expect(tree.readText('/sys/empty')).toBeUndefined();
    expect(tree.deviceNumbers('/sys/bus/usb/devices/1-1/serial')).toBeUndefined();
  });

  it('lists names in order, links and all, and nothing for a file', () => {
    const { tree } = open();
    expect(tree.list('/sys/bus/usb/devices/1-1')).toEqual([
      'authorized',
      'descriptors',
      'serial',
      'subsystem',
    ]);
    expect(tree.list('/sys/empty')).toEqual([]);
    expect(tree.list('/sys/bus/usb/devices/1-1/serial')).toEqual([]);
  });

  it('resolves links to paths as seen from its root', () => {
    const { tree } = open();
    expect(tree.resolve('/sys/bus/usb/devices/1-1')).toBe('/sys/devices/pci/usb1/1-1');
    expect(tree.resolve('/sys/bus/usb/devices/1-1/subsystem/devices/1-1')).toBe('/sys/devices/pci/usb1/1-1');
    expect(tree.resolve('/sys/empty')).toBe('/sys/empty');
  });

  it('writes into a file that is there', async () => {
    const { tree } = open();
    await tree.write('/sys/bus/usb/devices/1-1/authorized', '0');
    expect(tree.readText('/sys/devices/pci/usb1/1-1/authorized')?.[0]).toBe('0');
  });

  it('never makes a file by writing', async () => {
    const { tree } = open();
    const error = await tree.write('/sys/bus/usb/new', '1').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'KERNEL', cause: { code: 'ENOENT' } });
    expect(tree.exists('/sys/bus/usb/new')).toBe(false);
    expect(await errorCode(() => tree.write('/sys/empty', '1'))).toBe('KERNEL');
  });

  it('holds a file open until it is released, and nothing that is not there', async () => {
    const { tree } = open();
    const held = await tree.hold('/sys/devices/pci/usb1/1-1/serial');
    await held.release();
    expect(await errorCode(() => tree.hold('/dev/bus/usb/001/099'))).toBe('KERNEL');
  });

  it('forgets what is taken out of it', () => {
    const { tree, remove } = open();
    remove(['/sys/devices/pci/usb1/1-1']);
    expect(tree.exists('/sys/bus/usb/devices/1-1')).toBe(false);
    expect(tree.list('/sys/devices/pci/usb1')).toEqual([]);
  });

  it('shows the same made-up devices', () => {
    const specs = [
      hubSpec({ busId: '3-2', deviceNumber: 2 }),
      diskSpec({ busId: '3-2.1', deviceNumber: 7 }),
      adapterSpec({ busId: '3-2.2', deviceNumber: 8 }),
      keyboardSpec({ busId: '3-2.3', deviceNumber: 9 }),
      networkSpec({ busId: '3-2.4', deviceNumber: 10 }),
    ];
    const files = [...hostFiles([3]), ...specs.flatMap(usbDeviceFiles)];
    const { tree, remove } = open(files);
    const inMemory = memoryTree(files);
    for (const spec of specs) {
      expect(readUsbDevice(tree, spec.busId)).toBeDefined();
      expect(readUsbDevice(tree, spec.busId)).toEqual(readUsbDevice(inMemory, spec.busId));
    }
    remove(usbDevicePaths(specs[1] as (typeof specs)[number]));
    expect(readUsbDevice(tree, '3-2.1')).toBeUndefined();
    expect(tree.list('/sys/bus/usb/devices').filter((entry) => entry.startsWith('3-2.1'))).toEqual([]);
  });
});

describe('the tree of a host', () => {
  it('reads device numbers of real device files', () => {
    expect(hostTree().deviceNumbers('/dev/null')).toEqual({ major: 1, minor: 3 });
  });

  it('does not lead out of its root', () => {
    const root = mkdtempSync(join(tmpdir(), 'sysfs-'));
    folders.push(root);
    writeTree(root, [{ path: '/out', kind: 'link', content: '/proc' }]);
    expect(hostTree(root).resolve('/out')).toBeUndefined();
    expect(hostTree(`${root}/`).resolve('/')).toBeUndefined();
  });
});

describe('the tree in memory', () => {
  it('reads device numbers', () => {
    const tree = memoryTree([{ path: '/dev/sda', kind: 'device', major: 8, minor: 0 }]);
    expect(tree.deviceNumbers('/dev/sda')).toEqual({ major: 8, minor: 0 });
  });

  it('lets a test answer writes as the kernel would', async () => {
    const tree = memoryTree([file('/sys/bind', '')], (_, text) => {
      if (text === 'busy') throw Object.assign(new Error('busy'), { code: 'EBUSY' });
    });
    await tree.write('/sys/bind', 'free');
    const error = await tree.write('/sys/bind', 'busy').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'KERNEL', cause: { code: 'EBUSY' } });
  });
});
