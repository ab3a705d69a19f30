// Whether a device is past enumeration.
import type { UsbDevice } from './device.ts';
import type { SysfsTree } from './sysfs-tree.ts';

const USB_DEVICES = '/sys/bus/usb/devices';

/**
 * True when the folder of every interface is there. The device's own folder is there before its configuration is
 * chosen, and the number of interfaces is told before the first of them is added (message.c, usb_set_configuration).
 */
export function isConfigured(tree: SysfsTree, device: UsbDevice): boolean {
  const count = Number(tree.readText(`${USB_DEVICES}/${device.busId}/bNumInterfaces`)?.trim() || 0);
  const present = device.interfaces.filter(({ sysfsName }) => tree.exists(`${USB_DEVICES}/${sysfsName}`));
  return count > 0 && present.length === count;
}
