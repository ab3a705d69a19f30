// A row as the selector of the device policy takes it.
import type { SelectCandidate } from '../run/host.ts';
import type { DeviceRow } from './device-row.ts';

/** A device that is not plugged is known by name and node only. */
export function candidateOf({ name, node, device }: DeviceRow): SelectCandidate {
  return {
    name,
    node,
    busId: device?.busID ?? '',
    // 0000 is no vendor, so a device that is not plugged matches no vid:pid.
    vendorId: Number.parseInt(device?.vendorID ?? '0', 16),
    productId: Number.parseInt(device?.productID ?? '0', 16),
    ...(device?.serial ? { serial: device.serial } : {}),
    ...(device?.product ? { product: device.product } : {}),
  };
}
