// The page of `usb show`: everything that is known about one device.
import type { UsbDeviceStatus, UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import { ageSince } from '../output/age.ts';
import { type PageLine, renderPage, type Section } from '../output/page.ts';
import { safeText } from '../output/safe-text.ts';
import { adviceFor } from './advice.ts';
import { className, deviceClassNames } from './class-name.ts';
import { conditionText, readyOf } from './condition.ts';
import type { EventObject } from './device-events.ts';
import type { DeviceRow } from './device-row.ts';
import { speedName, speedText } from './speed-text.ts';

export interface ShowFacts {
  readonly row: DeviceRow;
  readonly statuses: readonly UsbNodeStatus[];
  /** Newest last; undefined when they cannot be read. */
  readonly events: readonly EventObject[] | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What it is, why it has its name, who may use it, where it is, who uses it, what happened, and what to do now. */
export function showPage(facts: ShowFacts): string {
  const { device } = facts.row;
  const sections = [
    headSection(facts),
    ...(device ? [identitySection(device), interfaceSection(device), policySection(device)] : []),
    assignmentSection(facts),
    locationSection(facts),
    holdSection(facts),
    portSection(facts),
    eventSection(facts),
    adviceSection(facts),
  ];
  return renderPage(
    sections.map(({ title, lines }) => ({ ...(title ? { title } : {}), lines: lines.map(safeLine) })),
  );
}

/** In one place for all lines, so that none can be forgotten: nearly every text here comes from a device or a person. */
function safeLine([label, value]: PageLine): PageLine {
  return [safeText(label), value === undefined ? undefined : safeText(value)];
}

function headSection({ row, now }: ShowFacts): Section {
  const { device } = row;
  return {
    lines: [
      ['Name', row.name],
      [
        'Product',
        device ? [device.manufacturer, device.product].filter(Boolean).join(' ') || '<none>' : undefined,
      ],
      ['ID', device && `${device.vendorID}:${device.productID}, release ${device.bcd}`],
      ['Serial', device && (device.serial || '<none>')],
      ['Class', device && deviceClassNames(device)],
      ['Speed', device && `${speedText(device.speed)} (${speedName(device.speed)})`],
      ['State', row.state],
      ['Since', timeText(row.since, now)],
    ],
  };
}

function identitySection(device: UsbDeviceStatus): Section {
  return {
    title: 'Identity',
    lines: [
      ['Text', device.identity],
      ['Form', whyThisForm(device)],
      ['Fingerprint', device.fingerprint],
      ['Descriptors', device.descriptorsHash],
    ],
  };
}

/** People wonder why two equal devices have names of different kinds. */
function whyThisForm(device: UsbDeviceStatus): string {
  if (device.identityForm === 'serial')
    return 'serial: it has a serial number, so it keeps its name in every port';
  return device.duplicateSerial
    ? 'port: another device with the same serial number was there first'
    : 'port: it has no serial number, so its name belongs to the port';
}

function interfaceSection(device: UsbDeviceStatus): Section {
  return {
    title: 'Interfaces',
    lines: device.interfaces.map(
      (one): PageLine => [
        String(one.number),
        `${one.class}:${one.subClass}:${one.protocol} ${className(one.class)}`,
      ],
    ),
  };
}

/** A verdict without its rule cannot be changed by anybody. */
function policySection(device: UsbDeviceStatus): Section {
  return {
    title: 'Policy',
    lines: [
      ['Verdict', device.verdict],
      ['Namespaces', device.verdict === 'Blocked' ? undefined : (device.namespaces?.join(', ') ?? '<any>')],
      ['Rule', device.rule],
      ['Reason', device.reason],
    ],
  };
}

/** Absent for a device that is assigned to nobody. */
function assignmentSection({ row: { assignment } }: ShowFacts): Section {
  const { namespace, vms = [] } = assignment ?? {};
  const ready = readyOf(assignment);
  return {
    title: 'Assigned to',
    lines:
      namespace === undefined
        ? []
        : [
            ['Namespace', namespace],
            ['Ready', ready && `${ready.status}, ${conditionText(ready)}`],
            ...vms.map(
              (vm): PageLine => [
                'VM',
                `${vm.name}.${vm.namespace}, ${vm.attached ? 'attached' : 'not attached yet'}`,
              ],
            ),
          ],
  };
}

function locationSection({ row, statuses, now }: ShowFacts): Section {
  const report = statuses.find(({ metadata }) => metadata.name === row.node)?.status;
  const { device } = row;
  return {
    title: 'Plugged into',
    lines: [
      ['Node', row.node],
      ['Last report', report ? timeText(report.heartbeat, now) : '<none>'],
      ['Agent', report && `${report.agentVersion}, kernel ${report.kernel}`],
      ['Bus ID', device?.busID],
      ['Port', device?.port],
      ['Device file', device?.devicePath],
      ['Since', device ? timeText(device.pluggedAt, now) : 'not plugged now'],
    ],
  };
}

function holdSection({ row: { hold }, now }: ShowFacts): Section {
  const { attachment, exported } = hold ?? {};
  return {
    title: 'Used by',
    lines: hold
      ? [
          ['Namespace', hold.claim?.namespace],
          ['Claim', hold.claim?.name],
          ['Allocated', hold.allocatedAt && timeText(hold.allocatedAt, now)],
          ['Pod', hold.pods.map(({ name }) => name).join(', ') || undefined],
          ['Node', hold.consumer],
          ['Mode', attachment?.mode],
          ['Transport', attachment?.transport ?? exported?.transport],
          ['Vhci port', attachment?.vhciPort?.toString()],
          ['Bus ID there', attachment && attachment.transport !== 'local' ? attachment.busID : undefined],
          ['Attachment', attachment && `${attachment.state}, ${timeText(attachment.since, now)}`],
        ]
      : [],
  };
}

/** Of the node with the device and of the node that uses it: a full hub is why a remote device is not attached. */
function portSection({ row, statuses }: ShowFacts): Section {
  const names = new Set([row.node, ...(row.hold?.consumer ? [row.hold.consumer] : [])]);
  const involved = statuses.filter(({ metadata }) => names.has(metadata.name));
  return {
    title: 'Ports for devices of other nodes',
    lines: involved.map(({ metadata, status }): PageLine => {
      const { highSpeed, superSpeed } = status?.ports ?? {};
      const used = (ports: typeof highSpeed) =>
        ports ? `${ports.used} of ${ports.total} used` : '<unknown>';
      return [metadata.name, `high speed ${used(highSpeed)}, SuperSpeed ${used(superSpeed)}`];
    }),
  };
}

/** That there are none and that they may not be read are different things. */
function eventSection({ events, now }: ShowFacts): Section {
  return {
    title: 'Events',
    lines: events
      ? events.map(
          (event): PageLine => [
            event.reason,
            `${event.type}, ${ageSince(event.time, now)} ago, ${event.of}: ${event.message}`,
          ],
        )
      : [['Not shown', 'events of its namespace cannot be listed']],
  };
}

function adviceSection({ row }: ShowFacts): Section {
  const { usable, next } = adviceFor(row);
  return {
    lines: [
      ['Usable', usable],
      ['Next', next],
    ],
  };
}

function timeText(time: string | undefined, now: number): string | undefined {
  return time && `${time} (${ageSince(time, now)} ago)`;
}
