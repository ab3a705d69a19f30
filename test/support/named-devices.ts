// USB devices as a scan finds them, made from what a test says about them.
import type { UsbDevice } from '../../node/usb/device.ts';
import { readUsbDevice } from '../../node/usb/read-device.ts';
import { memoryTree } from './memory-tree.ts';
import { hostFiles, usbDeviceFiles } from './sysfs-device.ts';
import type { UsbDeviceSpec } from './usb-spec.ts';

/** Throws when the files of the device can't be read back. */
export function deviceOf(spec: UsbDeviceSpec): UsbDevice {
  const device = readUsbDevice(memoryTree([...hostFiles([1]), ...usbDeviceFiles(spec)]), spec.busId);
  if (!device) throw new Error(`${spec.busId} cannot be read`);
  return device;
}
