// What drivers made of a USB device: disks, serial ports, network interfaces, found below its interface folders.
import type { DeviceNode, FunctionNode } from './device.ts';
import type { SysfsTree } from './sysfs-tree.ts';

/** The class folders whose members count, and which folders inside a member are members too. */
const CLASSES: Record<FunctionNode['kind'], RegExp | undefined> = {
  block: /^(sd[a-z]+\d+|mmcblk\d+(p|boot|rpmb|gp)\d*)$/,
  scsi_generic: undefined,
  hidraw: undefined,
  tty: undefined,
  usbmisc: undefined,
  input: /^(event|mouse|js)\d+$/,
  net: undefined,
};

/**
 * Folders on the way to a class folder: SCSI host, target and unit, HID device, port of a serial adapter, card reader.
 * Attributes and links are told apart later; this spares a look at the hundreds that cannot be one.
 */
const ON_THE_WAY = /^(mmc_host|memstick_host|wwan|.*[:.][\da-fA-F]+|.*\d)$/;

/**
 * The functions below one interface folder (a resolved path), disks before their partitions. Child USB devices hang
 * below the device and not below its interfaces, so they are never among them. One without its `dev` file is being made
 * or unmade and is left out.
 */
export function functionNodes(tree: SysfsTree, folder: string): FunctionNode[] {
  return tree.list(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (isKind(name)) return members(tree, name, path);
    // Links (`driver`, `subsystem`, `device`) lead out of the folder, and back into it from there.
    return ON_THE_WAY.test(name) && tree.resolve(path) === path ? functionNodes(tree, path) : [];
  });
}

function isKind(name: string): name is FunctionNode['kind'] {
  return Object.hasOwn(CLASSES, name);
}

function members(tree: SysfsTree, kind: FunctionNode['kind'], folder: string): FunctionNode[] {
  const inner = CLASSES[kind];
  return tree.list(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    const inside = inner ? tree.list(path).filter((child) => inner.test(child)) : [];
    return [
      functionAt(tree, kind, path),
      ...inside.map((child) => functionAt(tree, kind, `${path}/${child}`)),
    ].filter((found) => found !== undefined);
  });
}

function functionAt(tree: SysfsTree, kind: FunctionNode['kind'], folder: string): FunctionNode | undefined {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  if (kind === 'net') return { kind, name };
  const node = deviceNode(tree, kind, folder, name);
  return node && { kind, name, node };
}

function deviceNode(
  tree: SysfsTree,
  kind: FunctionNode['kind'],
  folder: string,
  name: string,
): DeviceNode | undefined {
  const [, major, minor] = /^(\d+):(\d+)$/.exec(tree.readText(`${folder}/dev`)?.trim() ?? '') ?? [];
  if (major === undefined || minor === undefined) return undefined;
  const uevent = tree.readText(`${folder}/uevent`) ?? '';
  // The name below /dev, e.g. `input/event3`; nothing that would lead elsewhere.
  const file = /^DEVNAME=(\w[\w.:+-]*(?:\/\w[\w.:+-]*)*)$/m.exec(uevent)?.[1] ?? name;
  return {
    path: `/dev/${file}`,
    type: kind === 'block' ? 'b' : 'c',
    major: Number(major),
    minor: Number(minor),
  };
}
