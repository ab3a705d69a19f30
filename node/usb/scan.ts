// Every USB device of this node, read one after the other.
import { setImmediate as otherWork } from 'node:timers/promises';
import { isBusId } from '../usbip/bus-id.ts';
import type { UsbDevice } from './device.ts';
import { isImportedPath } from './imported-path.ts';
import { type ReadProblem, readUsbDevice, USB_DEVICES } from './read-device.ts';
import type { SysfsTree } from './sysfs-tree.ts';

export interface Scan {
  /** By bus id; without root hubs, and without what is imported from other nodes. */
  readonly devices: readonly UsbDevice[];
  readonly problems: readonly ReadProblem[];
}

/**
 * Yields between devices, so that the kubelet is answered in time while a node with many of them is read; a problem with
 * one never hides another. `former` are the devices of the scan before. Rejects with KERNEL when the folder of devices
 * itself may not be read.
 */
export async function scanUsb(tree: SysfsTree, former: readonly UsbDevice[] = []): Promise<Scan> {
  const known = new Map(former.map((device) => [device.busId, device]));
  const devices: UsbDevice[] = [];
  const problems: ReadProblem[] = [];
  for (const busId of tree.list(USB_DEVICES).filter(isBusId)) {
    // Read, it would wait for the other end of the network.
    if (isImportedPath(tree.resolve(`${USB_DEVICES}/${busId}`) ?? '')) continue;
    const device = readUsbDevice(tree, busId, {
      former: known.get(busId),
      onProblem: (problem) => problems.push(problem),
    });
    if (device) devices.push(device);
    await otherWork();
  }
  return { devices, problems };
}
