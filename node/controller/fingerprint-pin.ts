// Which fingerprint an assignment is for. Pure.
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';

/**
 * What an administrator approved, else what was pinned before, else what `present` has: the first device that is seen
 * with the assignment. Undefined without an assignment, so that the next one pins anew.
 */
export function pinnedFingerprint(
  { spec, status }: NodeUsbDevice,
  present: string | undefined,
): string | undefined {
  if (!spec.assignedNamespace) return undefined;
  return spec.fingerprint ? withPrefix(spec.fingerprint) : (status?.pinnedFingerprint ?? present);
}

/** A device that tells no fingerprint is taken as it is, and so is any when none is pinned. */
export function isAnother(present: string | undefined, pinned: string | undefined): boolean {
  return present !== undefined && pinned !== undefined && present !== pinned;
}

/** Slices hold the bare digits, and people may copy them from there. */
function withPrefix(fingerprint: string): string {
  return fingerprint.startsWith('sha256:') ? fingerprint : `sha256:${fingerprint}`;
}
