// A row as the selector of the device policy takes it.
import type { SelectCandidate } from '../run/host.ts';
import { deviceFacts } from './device-facts.ts';
import type { DeviceRow } from './device-row.ts';

/** A device that is not plugged and was never assigned is known by name and node only. */
export function candidateOf(row: DeviceRow): SelectCandidate {
  const { name, node, device } = row;
  const facts = deviceFacts(row);
  return {
    name,
    node,
    busId: device?.busID ?? '',
    // 0000 is no vendor, so a device of which nothing is known matches no vid:pid.
    vendorId: Number.parseInt(facts?.vendorID ?? '0', 16),
    productId: Number.parseInt(facts?.productID ?? '0', 16),
    ...(facts?.serial ? { serial: facts.serial } : {}),
    ...(facts?.product ? { product: facts.product } : {}),
  };
}
