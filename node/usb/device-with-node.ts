// Finds a device of this node by its usbfs node.
import { isBusId } from '../usbip/bus-id.ts';
import type { UsbDevice } from './device.ts';
import { readUsbDevice, USB_DEVICES } from './read-device.ts';
import type { SysfsTree } from './sysfs-tree.ts';

/** `path` is like /dev/bus/usb/003/017; a device number is given anew only after 127 others of its bus. */
export function deviceWithNode(tree: SysfsTree, path: string): UsbDevice | undefined {
  for (const busId of tree.list(USB_DEVICES).filter(isBusId)) {
    const device = readUsbDevice(tree, busId);
    if (device?.node.path === path) return device;
  }
  return undefined;
}
