// The port to this node's own devices: what was read, named and judged.
import type { UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';

export interface LocalDevices {
  /** All devices as last read. */
  list(): readonly UsbDeviceStatus[];
  /** One device by its name in the ResourceSlice, read and judged now; undefined when it is not plugged in. */
  judge(device: string): Promise<UsbDeviceStatus | undefined>;
}
