// Which devices concern one namespace.
import type { DeviceRow } from './device-row.ts';

/** Held by the namespace or, when nobody holds the device, offered to it. */
export function concerns(row: DeviceRow, namespace: string): boolean {
  if (row.hold) return row.hold.claim?.namespace === namespace;
  if (!row.device || row.device.verdict === 'Blocked') return false;
  return !row.device.namespaces || row.device.namespaces.includes(namespace);
}
