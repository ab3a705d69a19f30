// A device of this node as a claim gets it.
import type { AccessMode, UsableDevice } from '../dra/device-access.ts';
import type { UsbDevice } from './device.ts';
import { deviceNodes } from './device-nodes.ts';

export function usableDevice(device: UsbDevice, mode: AccessMode): UsableDevice {
  const { busId, busNumber, deviceNumber } = device;
  return { busId, busNumber, deviceNumber, nodes: deviceNodes(device, mode) };
}
