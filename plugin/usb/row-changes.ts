// Which rows a watch has to print again.
import type { DeviceRow } from './device-row.ts';
import { deviceKey } from './hold.ts';

/**
 * Rows that are new or differ in something that a table shows, then those that went away, as Absent and free. Reports
 * that only renew a heartbeat change nothing.
 */
export function changedRows(before: readonly DeviceRow[], after: readonly DeviceRow[]): DeviceRow[] {
  const known = new Map(before.map((row) => [keyOf(row), row]));
  const current = new Set(after.map(keyOf));
  const changed = after.filter((row) => {
    const old = known.get(keyOf(row));
    return !old || shown(old) !== shown(row);
  });
  const gone = before
    .filter((row) => !current.has(keyOf(row)))
    .map(
      (row): DeviceRow => ({
        ...row,
        state: 'Absent',
        since: undefined,
        hold: undefined,
        assignment: undefined,
      }),
    );
  return [...changed, ...gone];
}

function keyOf({ node, name }: DeviceRow): string {
  return deviceKey(node, name);
}

/** The time is left out for Unreachable only: there it is the heartbeat, which a late report moves on. */
function shown({ state, since, device, hold, assignment }: DeviceRow): string {
  const { claim, pods, attachment, exported } = hold ?? {};
  const transport = attachment?.transport ?? exported?.transport;
  const { namespace, vms } = assignment ?? {};
  const time = state === 'Unreachable' ? '' : since;
  return JSON.stringify([state, time, device, claim, pods, transport, namespace, vms]);
}
