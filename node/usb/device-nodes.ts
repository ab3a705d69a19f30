// Which device nodes a container gets with a USB device.
import type { AccessMode } from '../dra/device-access.ts';
import type { DeviceNode, FunctionNode, UsbDevice } from './device.ts';

/**
 * Never `input`: whoever reads it reads what is typed at the node. Never `net`: it has no device file. In the order in
 * which they are listed, so that the result is the same each time.
 */
const GIVEN: readonly FunctionNode['kind'][] = ['block', 'scsi_generic', 'hidraw', 'tty', 'usbmisc'];

/** The usbfs node, and in driver mode what drivers made of the device: disks with partitions, sg, hidraw, serial. */
export function deviceNodes(device: UsbDevice, mode: AccessMode): DeviceNode[] {
  if (mode === 'usbfs') return [device.node];
  const functions = GIVEN.flatMap((kind) =>
    device.functions
      .filter((node) => node.kind === kind)
      .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
      .flatMap(({ node }) => node ?? []),
  );
  return [device.node, ...functions];
}
