// What the exporter tells about a device of this node.
import type { UsbDevice } from '../usb/device.ts';
import type { ListedDevice } from './device-list-message.ts';
import type { DeviceRecord } from './device-record.ts';

/** enum usb_device_speed by Mb/s; 0 is "unknown", which vhci refuses. */
const SPEEDS: Readonly<Record<number, number>> = { 1.5: 1, 12: 2, 480: 3, 5000: 5, 10000: 6, 20000: 6 };

/** The record of a device. Read the device before usbip-host is bound: binding takes its configuration away. */
export function exportedRecord(device: UsbDevice): DeviceRecord {
  return {
    path: device.sysfsPath,
    busId: device.busId,
    busNumber: device.busNumber,
    deviceNumber: device.deviceNumber,
    speed: SPEEDS[device.speed] ?? 0,
    vendorId: device.vendorId,
    productId: device.productId,
    bcdDevice: device.bcdDevice,
    deviceClass: device.deviceClass,
    deviceSubClass: device.deviceSubClass,
    deviceProtocol: device.deviceProtocol,
    configurationValue: device.configurationValue,
    configurationCount: device.configurationCount,
    interfaceCount: device.interfaceCount,
  };
}

export function listedDevice(device: UsbDevice): ListedDevice {
  return { device: exportedRecord(device), interfaces: device.interfaces };
}
