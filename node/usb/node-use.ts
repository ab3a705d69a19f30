// What the node itself does with a device: a mounted disk, swap, a volume on top of it, a network interface that is up.
import type { FunctionNode, UsbDevice } from './device.ts';
import type { SysfsTree } from './sysfs-tree.ts';
import { parseMountInfo, parseSwaps, type UseTables } from './use-tables.ts';

export interface NodeUse {
  /** `sda1 on /mnt`. */
  readonly mounts: readonly string[];
  /** `sda2`. */
  readonly swaps: readonly string[];
  /** `sda by dm-0`. */
  readonly holders: readonly string[];
  /** `eth1`. */
  readonly networkUp: readonly string[];
}

export const NO_USE: NodeUse = { mounts: [], swaps: [], holders: [], networkUp: [] };

/** net_device flags (linux/if.h). */
const IFF_UP = 1;

/** The mounts are those of process 1, because the agent's own are those of its container. */
export function readUseTables(tree: SysfsTree): UseTables {
  const mounts = tree.readText('/proc/1/mountinfo');
  return {
    mounts: mounts === undefined ? undefined : parseMountInfo(mounts),
    swaps: parseSwaps(tree.readText('/proc/swaps') ?? ''),
  };
}

/** A disk counts as used when the mounts are not known: the node's own must not be taken by mistake. */
export function nodeUse(tree: SysfsTree, device: Pick<UsbDevice, 'functions'>, tables: UseTables): NodeUse {
  const blocks = device.functions.filter(({ kind }) => kind === 'block');
  const networks = device.functions.filter(({ kind }) => kind === 'net');
  if (blocks.length === 0 && networks.length === 0) return NO_USE;
  return {
    mounts: blocks.flatMap((block) => mountsOf(block, tables)),
    swaps: blocks.filter(({ node }) => node && tables.swaps.has(node.path)).map(({ name }) => name),
    holders: blocks.flatMap(({ name }) => holdersOf(tree, name)),
    networkUp: networks.filter(({ name }) => isUp(tree, name)).map(({ name }) => name),
  };
}

function mountsOf({ name, node }: FunctionNode, { mounts }: UseTables): string[] {
  if (!mounts) return [`${name}: the mounts of this node cannot be read`];
  const numbers = `${node?.major}:${node?.minor}`;
  const points = mounts.filter(({ device, source }) => device === numbers || source === node?.path);
  return points.map(({ point }) => `${name} on ${point}`);
}

/** Device mapper and RAID leave a link; a member of a btrfs that was mounted by another member is only listed there. */
function holdersOf(tree: SysfsTree, name: string): string[] {
  const volumes = tree
    .list('/sys/fs/btrfs')
    .filter((id) => tree.exists(`/sys/fs/btrfs/${id}/devices/${name}`));
  return [
    ...tree.list(`/sys/class/block/${name}/holders`).map((holder) => `${name} by ${holder}`),
    ...volumes.map((id) => `${name} by btrfs ${id}`),
  ];
}

function isUp(tree: SysfsTree, name: string): boolean {
  return (Number(tree.readText(`/sys/class/net/${name}/flags`)?.trim() ?? 0) & IFF_UP) !== 0;
}
