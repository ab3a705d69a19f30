// The columns of `usb list`.
import { ageSince } from '../output/age.ts';
import type { Paint } from '../output/paint.ts';
import { safeText } from '../output/safe-text.ts';
import type { Column } from '../output/table.ts';
import { deviceClassNames } from './class-name.ts';
import { type DeviceFacts, deviceFacts } from './device-facts.ts';
import type { DeviceRow, DeviceState } from './device-row.ts';
import { speedText } from './speed-text.ts';

const PAINT: Readonly<Record<DeviceState, Paint>> = {
  Available: 'green',
  Assigned: 'yellow',
  Attached: 'cyan',
  Blocked: 'red',
  Absent: 'red',
  Unreachable: 'red',
};

/**
 * As in kubectl, `<none>` means that there is none and `<unknown>` that nobody knows; `<any>` is every namespace.
 * `shortName` gives the name as it is shown; `now` in milliseconds since the epoch.
 */
export function tableColumns(shortName: (row: DeviceRow) => string, now: number): Column<DeviceRow>[] {
  return [...steadyColumns(shortName), { header: 'SINCE', cell: (row) => ageSince(row.since, now) }];
}

export function wideColumns(now: number): Column<DeviceRow>[] {
  return [
    ...tableColumns(({ name }) => name, now),
    { header: 'BUSID', cell: ({ device }) => known(device?.busID) },
    { header: 'PORT', cell: ({ device }) => known(device?.port) },
    { header: 'CLASS', cell: ({ device }) => (device ? deviceClassNames(device) : '<unknown>') },
    {
      header: 'TRANSPORT',
      cell: ({ hold }) => hold?.attachment?.transport ?? hold?.exported?.transport ?? '<none>',
    },
    { header: 'RULE', cell: ({ device }) => known(device?.rule) },
  ];
}

/** Who uses the device or waits for it, in words that kubectl and this program take. */
export function usedBy({ hold, assignment }: DeviceRow): string {
  const [vm] = assignment?.vms ?? [];
  if (vm) return `vm/${vm.name}.${vm.namespace}`;
  if (!hold) return '<none>';
  if (hold.pods.length > 0) return hold.pods.map(({ name }) => `pod/${name}`).join(',');
  return hold.claim ? `claim/${hold.claim.name}` : `node/${hold.consumer ?? '<unknown>'}`;
}

function steadyColumns(shortName: (row: DeviceRow) => string): Column<DeviceRow>[] {
  return [
    { header: 'NAME', cell: (row) => safeText(shortName(row)) },
    { header: 'NODE', cell: ({ node }) => safeText(node) },
    { header: 'ID', cell: (row) => idText(deviceFacts(row)) },
    { header: 'PRODUCT', cell: (row) => textOf(deviceFacts(row), 'product'), givesWay: true },
    { header: 'SERIAL', cell: (row) => textOf(deviceFacts(row), 'serial') },
    { header: 'SPEED', cell: (row) => speedOf(deviceFacts(row)) },
    { header: 'NAMESPACE', cell: namespaceText },
    { header: 'STATE', cell: ({ state }) => ({ text: state, paint: PAINT[state] }) },
    { header: 'USED BY', cell: (row) => safeText(usedBy(row)) },
  ];
}

/** The one it is assigned to; else that of the holder; for a free device, those that it is offered to. */
function namespaceText({ device, hold, assignment }: DeviceRow): string {
  if (assignment?.namespace !== undefined) return assignment.namespace;
  if (hold) return hold.claim?.namespace ?? '<unknown>';
  if (!device || device.verdict === 'Blocked') return '<none>';
  return device.namespaces ? device.namespaces.join(',') || '<none>' : '<any>';
}

function idText(facts: DeviceFacts | undefined): string {
  return facts ? safeText(`${facts.vendorID}:${facts.productID}`) : '<unknown>';
}

function speedOf(facts: DeviceFacts | undefined): string {
  return facts?.speed === undefined ? '<unknown>' : speedText(facts.speed);
}

function textOf(facts: DeviceFacts | undefined, name: 'product' | 'serial'): string {
  if (!facts) return '<unknown>';
  const text = facts[name];
  return text ? safeText(text) : '<none>';
}

function known(text: string | undefined): string {
  return text ? safeText(text) : '<unknown>';
}
