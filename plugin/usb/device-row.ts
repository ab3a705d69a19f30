// One row a device: what a node reports, joined with who holds it, and the state that follows from both.
import type { UsbDeviceStatus, UsbNodeStatus } from '../../proto/api/usb-node-status.ts';
import type { UsbFacts } from './facts.ts';
import { deviceKey, type Hold, holdsByDevice } from './hold.ts';
import { whyUnreachable } from './reachability.ts';

export type DeviceState = 'Available' | 'Assigned' | 'Attached' | 'Blocked' | 'Absent' | 'Unreachable';

export interface DeviceRow {
  readonly name: string;
  readonly node: string;
  readonly state: DeviceState;
  /** Since when it is in this state (RFC 3339), where anybody knows. */
  readonly since?: string | undefined;
  /** Absent for a device that is held but not plugged. */
  readonly device?: UsbDeviceStatus | undefined;
  readonly hold?: Hold | undefined;
  readonly unreachable?: string | undefined;
}

/** All devices by node and bus id; those that are held but not plugged come last in their node. */
export function joinDevices(facts: UsbFacts, now: number): DeviceRow[] {
  const holds = holdsByDevice(facts);
  const reports = new Map(facts.statuses.map((status) => [status.metadata.name, status]));
  const plugged = facts.statuses.flatMap(({ metadata, status }) =>
    (status?.devices ?? []).map((device) => ({ node: metadata.name, name: device.name, device })),
  );
  const seen = new Set(plugged.map(({ node, name }) => deviceKey(node, name)));
  const absent = [...holds.values()]
    .filter(({ node, device }) => !seen.has(deviceKey(node, device)))
    .map(({ node, device }) => ({ node, name: device, device: undefined }));
  return [...plugged, ...absent]
    .map(({ node, name, device }) => {
      const report = reports.get(node);
      const hold = holds.get(deviceKey(node, name));
      const unreachable = whyUnreachable(node, report, facts.nodes, now);
      const state = stateOf(device, hold, unreachable);
      return { name, node, state, since: sinceOf(state, device, hold, report), device, hold, unreachable };
    })
    .sort(byNodeAndBus);
}

function stateOf(
  device: UsbDeviceStatus | undefined,
  hold: Hold | undefined,
  unreachable: string | undefined,
): DeviceState {
  if (unreachable !== undefined) return 'Unreachable';
  if (!device) return 'Absent';
  if (hold?.attachment ? hold.attachment.state === 'Attached' : hold?.exported) return 'Attached';
  // A rule that came later does not take a device away from who holds it.
  if (hold) return 'Assigned';
  return device.verdict === 'Blocked' ? 'Blocked' : 'Available';
}

function sinceOf(
  state: DeviceState,
  device: UsbDeviceStatus | undefined,
  hold: Hold | undefined,
  report: UsbNodeStatus | undefined,
): string | undefined {
  switch (state) {
    case 'Unreachable':
      return report?.status?.heartbeat;
    // No one keeps the time of an unplugging.
    case 'Absent':
      return undefined;
    case 'Attached':
      return hold?.attachment?.since ?? hold?.exported?.since;
    case 'Assigned':
      return hold?.allocatedAt ?? hold?.attachment?.since;
    default:
      return device?.pluggedAt;
  }
}

function byNodeAndBus(a: DeviceRow, b: DeviceRow): number {
  return (
    compare(a.node, b.node) ||
    Number(!a.device) - Number(!b.device) ||
    compare(a.device?.busID ?? a.name, b.device?.busID ?? b.name)
  );
}

/** `3-2` comes before `3-10`. */
function compare(a: string, b: string): number {
  const parts = (text: string) => text.split(/(\d+)/);
  const [left, right] = [parts(a), parts(b)];
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? '';
    if (part === other) continue;
    return /^\d/.test(part) && /^\d/.test(other)
      ? Number(part) - Number(other) || (part < other ? -1 : 1)
      : part < other
        ? -1
        : 1;
  }
  return left.length - right.length;
}
