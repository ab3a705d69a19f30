// Whose import a vhci port holds. Pure.
import type { ImportAttachment } from './importer.ts';
import { PORT_STATE, type VhciPort } from './vhci-status.ts';

/**
 * `ours`: the device of this attachment. `untold`: a device, but the kernel names it only once it has an address.
 * `other`: nothing, or somebody else's.
 */
export type PortHolder = 'ours' | 'untold' | 'other';

/**
 * `claim` is the uid of the claim that this process last attached to the port, where it did: two imports of the same
 * device, one after the other, look the same in the status.
 */
export function portHolder(
  port: VhciPort | undefined,
  attachment: ImportAttachment,
  claim: string | undefined,
): PortHolder {
  if (!port || port.state === PORT_STATE.free) return 'other';
  if (claim !== undefined && attachment.claim !== undefined && claim !== attachment.claim) return 'other';
  if (port.state !== PORT_STATE.used) return 'untold';
  return port.devid === attachment.devid ? 'ours' : 'other';
}
