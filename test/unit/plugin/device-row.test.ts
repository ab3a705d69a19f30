// The state of a device as it follows from reports, claims and nodes.
import { describe, expect, it } from 'vitest';
import { type DeviceRow, joinDevices } from '../../../plugin/usb/device-row.ts';
import type { UsbFacts } from '../../../plugin/usb/facts.ts';
import { concerns } from '../../../plugin/usb/namespace-filter.ts';
import { whyUnreachable } from '../../../plugin/usb/reachability.ts';
import type { UsbAttachmentStatus } from '../../../proto/api/gen/usb-node-status.ts';
import {
  ago,
  CAMERA,
  claimOf,
  DISK,
  deviceOf,
  KEYBOARD,
  LOST,
  labFacts,
  NOW,
  nodeOf,
  statusOf,
  usbName,
} from './lab-facts.ts';

const A = usbName('aaaa');

const claim = { namespace: 'lab', name: 'disk', uid: 'uid-of-disk' };

function attachment(given: Partial<UsbAttachmentStatus> = {}): UsbAttachmentStatus {
  return {
    claim,
    device: A,
    pool: 'n1',
    mode: 'usbfs',
    transport: 'local',
    busID: '3-2',
    state: 'Attached',
    since: ago(60),
    ...given,
  };
}

/** The row of device A of node n1. */
function rowOf(facts: Partial<UsbFacts>): DeviceRow {
  const all = {
    statuses: [statusOf('n1', { devices: [deviceOf(A)] })],
    claims: [],
    nodes: [nodeOf('n1')],
    ...facts,
  };
  const row = joinDevices(all, NOW).find(({ name }) => name === A);
  if (!row) throw new Error('the device is missing');
  return row;
}

describe('joinDevices', () => {
  it('shows a free device as Available since it was plugged', () => {
    expect(rowOf({})).toMatchObject({ state: 'Available', since: ago(3600), hold: undefined });
  });

  it('shows a blocked device as Blocked', () => {
    const statuses = [statusOf('n1', { devices: [deviceOf(A, { verdict: 'Blocked' })] })];
    expect(rowOf({ statuses }).state).toBe('Blocked');
  });

  it('shows an allocated claim as Assigned since its allocation, with the pod that waits', () => {
    const row = rowOf({ claims: [claimOf('disk', 'n1', A, ['web'])] });
    expect(row).toMatchObject({
      state: 'Assigned',
      since: ago(600),
      hold: { claim, pods: [{ name: 'web', uid: 'uid-of-web' }] },
    });
  });

  it('takes the age of a claim whose allocation has no time', () => {
    const old = claimOf('disk', 'n1', A);
    delete old.status?.allocation?.allocationTimestamp;
    expect(rowOf({ claims: [old] }).since).toBe(ago(700));
  });

  it('stays Assigned while the node prepares', () => {
    const statuses = [
      statusOf('n1', { devices: [deviceOf(A)], attachments: [attachment({ state: 'Preparing' })] }),
    ];
    expect(rowOf({ statuses })).toMatchObject({ state: 'Assigned', since: ago(60) });
    expect(rowOf({ statuses, claims: [claimOf('disk', 'n1', A)] }).since).toBe(ago(600));
  });

  it('shows an attachment of another node as Attached, with the node that uses it', () => {
    const statuses = [
      statusOf('n1', { devices: [deviceOf(A)] }),
      statusOf('n2', { attachments: [attachment({ transport: 'plain', vhciPort: 3 })] }),
    ];
    const row = rowOf({ statuses, nodes: [nodeOf('n1'), nodeOf('n2')] });
    expect(row).toMatchObject({ state: 'Attached', since: ago(60), hold: { consumer: 'n2', claim } });
  });

  it('knows the holder without the right to list claims', () => {
    const pod = { namespace: 'lab', name: 'web', uid: 'uid-of-web' };
    const statuses = [statusOf('n1', { devices: [deviceOf(A)], attachments: [attachment({ pod })] })];
    expect(rowOf({ statuses, claims: undefined })).toMatchObject({
      state: 'Attached',
      hold: { pods: [pod] },
    });
  });

  it('shows an export as Attached when the other node has not reported yet', () => {
    const exports = [
      { device: A, busID: '3-2', peer: '10.0.0.9', transport: 'plain' as const, since: ago(5) },
    ];
    const row = rowOf({ statuses: [statusOf('n1', { devices: [deviceOf(A)], exports })] });
    expect(row).toMatchObject({ state: 'Attached', since: ago(5), hold: { consumer: '10.0.0.9' } });
  });

  it('stays Assigned while the exporter serves and the importer still prepares', () => {
    const exports = [
      { device: A, busID: '3-2', peer: 'n2', claim, transport: 'plain' as const, since: ago(5) },
    ];
    const statuses = [
      statusOf('n1', { devices: [deviceOf(A)], exports }),
      statusOf('n2', { attachments: [attachment({ state: 'Preparing' })] }),
    ];
    expect(rowOf({ statuses, nodes: undefined })).toMatchObject({
      state: 'Assigned',
      hold: { consumer: 'n2' },
    });
  });

  it('believes the node when the claim has changed hands meanwhile', () => {
    const statuses = [statusOf('n1', { devices: [deviceOf(A)], attachments: [attachment()] })];
    const row = rowOf({ statuses, claims: [claimOf('next', 'n1', A, ['later'])] });
    expect(row.hold).toMatchObject({ claim, pods: [] });
  });

  it('does not take a device away from its holder because of a rule', () => {
    const statuses = [
      statusOf('n1', { devices: [deviceOf(A, { verdict: 'Blocked' })], attachments: [attachment()] }),
    ];
    expect(rowOf({ statuses }).state).toBe('Attached');
  });

  it('shows a claimed device that is not plugged as Absent, and does not make up a time', () => {
    const row = rowOf({ statuses: [statusOf('n1')], claims: [claimOf('disk', 'n1', A)] });
    expect(row).toMatchObject({ state: 'Absent', since: undefined, device: undefined, hold: { claim } });
  });

  it('shows everything of a node that is silent or not ready as Unreachable since its last report', () => {
    const silent = [
      statusOf('n1', { heartbeat: ago(181), devices: [deviceOf(A)], attachments: [attachment()] }),
    ];
    expect(rowOf({ statuses: silent })).toMatchObject({ state: 'Unreachable', since: ago(181) });
    expect(rowOf({ nodes: [nodeOf('n1', 'False')] }).state).toBe('Unreachable');
  });

  it('shows a claim on a node that never reported as Unreachable', () => {
    expect(rowOf({ statuses: [], claims: [claimOf('disk', 'n1', A)] }).state).toBe('Unreachable');
  });

  it('ignores claims of other drivers and claims without allocation', () => {
    const other = claimOf('gpu', 'n1', A);
    for (const result of other.status?.allocation?.devices?.results ?? []) result.driver = 'gpu.example.com';
    const waiting = { metadata: { name: 'waits', namespace: 'lab' }, spec: {} };
    expect(rowOf({ claims: [other, waiting] }).state).toBe('Available');
  });

  it('keeps devices of the same name on two nodes apart', () => {
    const statuses = [statusOf('n1', { devices: [deviceOf(A)] }), statusOf('n2', { devices: [deviceOf(A)] })];
    const rows = joinDevices({ statuses, claims: [claimOf('disk', 'n2', A)] }, NOW);
    expect(rows.map(({ node, state }) => [node, state])).toEqual([
      ['n1', 'Available'],
      ['n2', 'Assigned'],
    ]);
  });

  it('reads a node that has not reported as one without devices', () => {
    expect(joinDevices({ statuses: [{ metadata: { name: 'n1' } }] }, NOW)).toEqual([]);
  });

  it('sorts by node and bus as people count', () => {
    const devices = ['3-10', '3-2', '3-2.1', '10-1'].map((busID) => deviceOf(usbName(busID), { busID }));
    const statuses = [statusOf('n10', { devices }), statusOf('n2', { devices: [deviceOf(A)] })];
    const rows = joinDevices({ statuses, claims: [claimOf('gone', 'n10', LOST)] }, NOW);
    expect(rows.map(({ node, device }) => [node, device?.busID])).toEqual([
      ['n2', '3-2'],
      ['n10', '3-2'],
      ['n10', '3-2.1'],
      ['n10', '3-10'],
      ['n10', '10-1'],
      ['n10', undefined],
    ]);
  });

  it('gives each device one row whatever is reported about it', () => {
    const rows = joinDevices(labFacts(), NOW);
    expect(new Set(rows.map(({ node, name }) => `${node}/${name}`)).size).toBe(rows.length);
    expect(rows).toHaveLength(8);
  });
});

describe('whyUnreachable', () => {
  const fresh = statusOf('n1', { heartbeat: ago(180) });

  it('accepts a report that is three minutes old', () => {
    expect(whyUnreachable('n1', fresh, [nodeOf('n1')], NOW)).toBeUndefined();
    expect(whyUnreachable('n1', fresh, undefined, NOW)).toBeUndefined();
  });

  it('accepts a report from a clock that is ahead', () => {
    expect(whyUnreachable('n1', statusOf('n1', { heartbeat: ago(-600) }), undefined, NOW)).toBeUndefined();
  });

  it.each([
    ['a node that is gone', fresh, [nodeOf('n2')]],
    ['a node that is not ready', fresh, [nodeOf('n1', 'Unknown')]],
    ['a node without conditions', fresh, [{ metadata: { name: 'n1' } }]],
    ['a silent agent', statusOf('n1', { heartbeat: ago(181) }), undefined],
    ['an agent that never reported', { metadata: { name: 'n1' } }, undefined],
    ['a report without a readable time', statusOf('n1', { heartbeat: 'soon' }), undefined],
    ['a node without a report', undefined, undefined],
  ])('gives a reason for %s', (_, status, nodes) => {
    expect(whyUnreachable('n1', status, nodes, NOW)).toMatch(/n1/);
  });
});

describe('concerns', () => {
  const rows = new Map(joinDevices(labFacts(), NOW).map((row) => [row.name, row]));
  const of = (name: string, namespace: string) => {
    const row = rows.get(name);
    return row && concerns(row, namespace);
  };

  it('a namespace that holds the device and no other', () => {
    expect([of(DISK, 'lab'), of(DISK, 'other'), of(LOST, 'lab')]).toEqual([true, false, true]);
  });

  it('the namespaces that a free device is offered to', () => {
    expect([of(CAMERA, 'lab'), of(CAMERA, 'media'), of(CAMERA, 'other')]).toEqual([true, true, false]);
  });

  it('nobody when the device is blocked', () => {
    expect(of(KEYBOARD, 'lab')).toBe(false);
  });
});
