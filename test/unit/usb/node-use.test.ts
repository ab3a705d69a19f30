// What the node does with a device itself.
import { describe, expect, it } from 'vitest';
import { NO_USE, nodeUse, readUseTables } from '../../../node/usb/node-use.ts';
import { readUsbDevice } from '../../../node/usb/read-device.ts';
import { useSentence } from '../../../node/usb/use-sentence.ts';
import { parseMountInfo, parseSwaps } from '../../../node/usb/use-tables.ts';
import { memoryTree } from '../../support/memory-tree.ts';
import { hostFiles, mountFiles, usbDeviceFiles } from '../../support/sysfs-device.ts';
import { file, type TreeFile } from '../../support/tree-file.ts';
import { diskSpec, keyboardSpec, networkSpec, type UsbDeviceSpec } from '../../support/usb-spec.ts';

const place = { busId: '3-1', deviceNumber: 5 };
const DISK = diskSpec(place);

function use(spec: UsbDeviceSpec, ...files: TreeFile[]) {
  const tree = memoryTree([...hostFiles([3]), ...usbDeviceFiles(spec), ...files]);
  const device = readUsbDevice(tree, '3-1');
  if (!device) throw new Error('not read');
  return nodeUse(tree, device, readUseTables(tree));
}

describe('a disk', () => {
  it('is free when nothing is mounted from it', () => expect(use(DISK)).toEqual(NO_USE));

  it('is used when one of its partitions is mounted, wherever', () => {
    const files = mountFiles([
      ['8:1', '/dev/sda1', '/mnt'],
      ['8:1', '/dev/sda1', '/var/lib/data'],
    ]);
    expect(use(DISK, ...files).mounts).toEqual(['sda1 on /mnt', 'sda1 on /var/lib/data']);
  });

  it('is used when its file system shows another device number', () => {
    expect(use(DISK, ...mountFiles([['0:51', '/dev/sda1', '/mnt']])).mounts).toEqual(['sda1 on /mnt']);
  });

  it('is used when it is mounted by another name', () => {
    expect(use(DISK, ...mountFiles([['8:0', '/dev/root', '/']])).mounts).toEqual(['sda on /']);
  });

  it('is used when it has swap', () => {
    expect(use(DISK, ...mountFiles([], ['/dev/sda1'])).swaps).toEqual(['sda1']);
  });

  it('is used when a volume lies on top of it', () => {
    const face = DISK.configurations[0]?.interfaces[0];
    const functions = [{ kind: 'block' as const, name: 'sda', holders: ['dm-0'] }];
    const held = {
      ...DISK,
      configurations: [{ value: 1, interfaces: [{ ...face, functions }] }],
    } as UsbDeviceSpec;
    expect(use(held).holders).toEqual(['sda by dm-0']);
    expect(use(DISK, file('/sys/fs/btrfs/1234/devices/sda1/size', 1)).holders).toEqual([
      'sda1 by btrfs 1234',
    ]);
  });

  it('counts as used when the mounts cannot be read', () => {
    const tree = memoryTree([...hostFiles([3]), ...usbDeviceFiles(DISK)]);
    tree.remove(['/proc/1/mountinfo']);
    const device = readUsbDevice(tree, '3-1');
    const { mounts } = nodeUse(tree, device ?? { functions: [] }, readUseTables(tree));
    expect(mounts).toHaveLength(2);
  });

  it('is unknown where process 1 is hidden: the own mounts are those of a container', () => {
    const tree = memoryTree([file('/proc/self/mountinfo', '30 1 8:1 / /mnt rw - ext4 /dev/sda1 rw')]);
    expect(readUseTables(tree).mounts).toBeUndefined();
  });
});

describe('a network card', () => {
  it('is used while its interface is up', () => {
    expect(use(networkSpec(place, 'eth1', true)).networkUp).toEqual(['eth1']);
    expect(use(networkSpec(place, 'eth1', false))).toEqual(NO_USE);
  });
});

describe('a keyboard', () => {
  it('is nothing that the node mounts', () => {
    expect(use(keyboardSpec(place), ...mountFiles([['13:3', '/dev/input/event3', '/mnt']]))).toEqual(NO_USE);
  });
});

describe('the tables', () => {
  it('of mounts have optional fields and octal characters', () => {
    const text = [
      '36 35 8:1 / /mnt\\040with\\040blanks rw,noatime shared:1 master:2 - ext4 /dev/sda1 rw',
      '37 35 0:5 / /dev rw - devtmpfs udev rw',
      'nonsense',
      '',
    ].join('\n');
    expect(parseMountInfo(text)).toEqual([
      { device: '8:1', source: '/dev/sda1', point: '/mnt with blanks' },
      { device: '0:5', source: 'udev', point: '/dev' },
    ]);
  });

  it('of swaps have a title', () => {
    expect(
      parseSwaps('Filename Type Size\n/dev/sda2  partition 1 0 -2\n/swap\\040file file 1 0 -3\n'),
    ).toEqual(new Set(['/dev/sda2', '/swap file']));
    expect(parseSwaps('')).toEqual(new Set());
  });
});

describe('a use in words', () => {
  it('names everything, and is missing when there is none', () => {
    expect(useSentence(NO_USE)).toBeUndefined();
    const words = useSentence({ ...NO_USE, mounts: ['sda1 on /mnt'], networkUp: ['eth1'] });
    expect(words).toContain('sda1 on /mnt');
    expect(words).toContain('eth1');
  });
});
