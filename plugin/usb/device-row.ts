// One row a device: what a node reports, joined with who holds it, and the state that follows from both.
import type { UsbDeviceStatus, UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import { type Assignment, assignmentsByName, objectNameOf } from './assignment.ts';
import { conditionOf } from './condition.ts';
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
  /** Absent where NodeUSBDevices and USBDevices are not served, may not be read, or do not know the device. */
  readonly assignment?: Assignment | undefined;
  readonly unreachable?: string | undefined;
}

/** All devices by node and bus id; those that are held or assigned but not plugged come last in their node. */
export function joinDevices(facts: UsbFacts, now: number): DeviceRow[] {
  const holds = holdsByDevice(facts);
  const assignments = assignmentsByName(facts);
  const reports = new Map(facts.statuses.map((status) => [status.metadata.name, status]));
  const plugged = facts.statuses.flatMap(({ metadata, status }) =>
    (status?.devices ?? []).map((device) => ({ node: metadata.name, name: device.name, device })),
  );
  const seen = new Set(plugged.map(({ node, name }) => deviceKey(node, name)));
  const absent = new Map(
    [...holds.values(), ...assignedDevices(facts)]
      .map(
        ({ node, device }) => [deviceKey(node, device), { node, name: device, device: undefined }] as const,
      )
      .filter(([key]) => !seen.has(key)),
  );
  return [...plugged, ...absent.values()]
    .map(({ node, name, device }) => {
      const report = reports.get(node);
      const hold = holds.get(deviceKey(node, name));
      const unreachable = whyUnreachable(node, report, facts.nodes, now);
      const assignment = assignments.get(objectNameOf(name));
      const known = { name, node, device, hold, assignment, unreachable };
      const state = stateOf(known);
      return { ...known, state, since: sinceOf(state, known, report) };
    })
    .sort(byNodeAndBus);
}

/** Whoever has a device assigned counts on it, plugged or not. */
function assignedDevices({ nodeUsbDevices = [] }: UsbFacts): { node: string; device: string }[] {
  return nodeUsbDevices.flatMap(({ metadata, spec, status }) => {
    const node = status?.nodeName;
    const device = status?.attributes?.name ?? metadata.name;
    return spec.assignedNamespace && node && device ? [{ node, device }] : [];
  });
}

type KnownDevice = Omit<DeviceRow, 'state' | 'since'>;

function stateOf({ device, hold, assignment, unreachable }: KnownDevice): DeviceState {
  if (unreachable !== undefined) return 'Unreachable';
  if (!device) return 'Absent';
  if (assignment?.vms.some(({ attached }) => attached)) return 'Attached';
  if (hold?.attachment ? hold.attachment.state === 'Attached' : hold?.exported) return 'Attached';
  // A rule that came later does not take a device away from who holds it.
  if (hold) return 'Assigned';
  if (device.verdict === 'Blocked') return 'Blocked';
  return assignment?.namespace === undefined ? 'Available' : 'Assigned';
}

function sinceOf(
  state: DeviceState,
  { device, hold, assignment }: KnownDevice,
  report: UsbNodeStatus | undefined,
): string | undefined {
  switch (state) {
    case 'Unreachable':
      return report?.status?.heartbeat;
    // No one keeps the time of an unplugging.
    case 'Absent':
      return undefined;
    case 'Attached':
      return hold?.attachment?.since ?? hold?.exported?.since ?? changedAt(assignment, 'Attached');
    case 'Assigned':
      return hold?.allocatedAt ?? hold?.attachment?.since ?? changedAt(assignment, 'Assigned');
    default:
      return device?.pluggedAt;
  }
}

function changedAt(assignment: Assignment | undefined, type: 'Assigned' | 'Attached'): string | undefined {
  return conditionOf(assignment?.nodeUsbDevice, type)?.lastTransitionTime;
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
