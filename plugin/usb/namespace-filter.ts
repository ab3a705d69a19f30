// Which devices concern one namespace.
import type { DeviceRow } from './device-row.ts';

/** Held by the namespace, or assigned to it, or offered to it when the device is neither. */
export function concerns(row: DeviceRow, namespace: string): boolean {
  if (row.hold?.claim?.namespace === namespace || row.assignment?.namespace === namespace) return true;
  if (row.hold || row.assignment?.namespace !== undefined) return false;
  if (!row.device || row.device.verdict === 'Blocked') return false;
  return !row.device.namespaces || row.device.namespaces.includes(namespace);
}
