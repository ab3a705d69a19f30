// What `usb list` and `usb show` make of assignments and virtual machines.
import { describe, expect, it } from 'vitest';
import { adviceFor } from '../../../plugin/usb/advice.ts';
import { candidateOf } from '../../../plugin/usb/candidate.ts';
import { joinDevices } from '../../../plugin/usb/device-row.ts';
import type { UsbFacts } from '../../../plugin/usb/facts.ts';
import { concerns } from '../../../plugin/usb/namespace-filter.ts';
import { changedRows } from '../../../plugin/usb/row-changes.ts';
import { tableColumns, usedBy } from '../../../plugin/usb/row-columns.ts';
import { showPage } from '../../../plugin/usb/show-page.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import {
  assignedFacts,
  condition,
  nodeUsbDevice,
  STICK,
  stickFacts,
  stickRow,
  UNPLUGGED,
  vmOf,
} from './change/change-objects.ts';
import { run } from './fake-host.ts';
import { FakeKube, forbidden } from './fake-kube.ts';
import { claimOf, NOW, nodeOf } from './lab-facts.ts';

const web = vmOf('web', { list: [STICK], attached: [STICK] });
const waiting = vmOf('web', { list: [STICK] });

function cells(facts: UsbFacts): Record<string, string> {
  const row = stickRow(facts);
  return Object.fromEntries(
    tableColumns(({ name }) => name, NOW).map(({ header, cell }) => {
      const value = cell(row);
      return [header, typeof value === 'string' ? value : value.text];
    }),
  );
}

function kubeOf(facts: UsbFacts): FakeKube {
  return new FakeKube({
    usbnodestatuses: facts.statuses,
    resourceclaims: facts.claims ?? [],
    nodes: facts.nodes ?? [],
    nodeusbdevices: facts.nodeUsbDevices ?? [],
    usbdevices: facts.usbDevices ?? [],
    virtualmachines: facts.vms ?? [],
  });
}

describe('a row', () => {
  it.each<[string, UsbFacts, string, string, string]>([
    ['free', stickFacts(), 'Available', '<any>', '<none>'],
    ['assigned', assignedFacts(), 'Assigned', 'lab', '<none>'],
    ['asked for by a VM', assignedFacts('lab', { vms: [waiting] }), 'Assigned', 'lab', 'vm/web.lab'],
    ['attached to a VM', assignedFacts('lab', { vms: [web] }), 'Attached', 'lab', 'vm/web.lab'],
    [
      'attached to a VM, whose pod has the claim',
      assignedFacts('lab', { vms: [web], claims: [claimOf('hp', 'worker-1', STICK, ['hp-web'])] }),
      'Attached',
      'lab',
      'vm/web.lab',
    ],
    [
      "held by a pod's claim",
      assignedFacts('lab', { claims: [claimOf('disk', 'worker-1', STICK, ['job'])] }),
      'Assigned',
      'lab',
      'pod/job',
    ],
    ['assigned and unplugged', assignedFacts('lab', { statuses: UNPLUGGED }), 'Absent', 'lab', '<none>'],
    [
      'assigned and blocked',
      assignedFacts('lab', { device: { verdict: 'Blocked' } }),
      'Blocked',
      'lab',
      '<none>',
    ],
    [
      'attached on a node that is down',
      assignedFacts('lab', { vms: [web], nodes: [nodeOf('worker-1', 'False')] }),
      'Unreachable',
      'lab',
      'vm/web.lab',
    ],
    [
      'assigned, seen by its USBDevice alone',
      assignedFacts('lab', { nodeUsbDevices: undefined }),
      'Assigned',
      'lab',
      '<none>',
    ],
  ])('of a device that is %s', (_what, facts, state, namespace, user) => {
    expect(cells(facts)).toMatchObject({ STATE: state, NAMESPACE: namespace, 'USED BY': user });
  });

  it('of an unplugged device still says what it is, and is found by it', () => {
    const facts = assignedFacts('lab', { statuses: UNPLUGGED });
    expect(cells(facts)).toMatchObject({
      ID: '0951:1666',
      PRODUCT: 'Stick',
      SERIAL: 'S1',
      SPEED: '<unknown>',
    });
    expect(candidateOf(stickRow(facts))).toMatchObject({ vendorId: 0x0951, serial: 'S1', busId: '' });
  });

  it('does not exist for a device that is neither plugged nor assigned', () => {
    expect(joinDevices(stickFacts({ statuses: UNPLUGGED }), NOW)).toEqual([]);
  });

  it('exists once for a device that is held and assigned and unplugged', () => {
    const facts = assignedFacts('lab', { statuses: UNPLUGGED, claims: [claimOf('disk', 'worker-1', STICK)] });
    expect(joinDevices(facts, NOW)).toHaveLength(1);
  });

  it('counts since the assignment', () => {
    expect(stickRow(assignedFacts()).since).toBe('2026-03-01T11:58:20Z');
  });

  it('does not take the word of a VM in another namespace', () => {
    const elsewhere = vmOf('x', { namespace: 'other', list: [STICK], attached: [STICK] });
    expect(usedBy(stickRow(assignedFacts('lab', { vms: [elsewhere] })))).toBe('<none>');
  });

  it('concerns the namespace that has the device, and no other', () => {
    const row = stickRow(assignedFacts());
    expect([concerns(row, 'lab'), concerns(row, 'other')]).toEqual([true, false]);
  });

  it('is printed again by a watch when its assignment or its VM changes', () => {
    const states = [
      stickFacts(),
      assignedFacts(),
      assignedFacts('lab', { vms: [waiting] }),
      assignedFacts('lab', { vms: [web] }),
    ];
    const rows = states.map((facts) => [stickRow(facts)]);
    for (const [index, after] of rows.entries())
      expect(changedRows(rows[index - 1] ?? [], after)).toHaveLength(1);
    expect(changedRows(rows[1] ?? [], [stickRow(assignedFacts())])).toEqual([]);
  });
});

describe('the advice', () => {
  const changed = nodeUsbDevice('lab', {
    ready: condition('Ready', 'False', 'FingerprintChanged', 'another one'),
  });
  const away = nodeUsbDevice('lab', { ready: condition('Ready', 'False', 'NodeNotReady') });
  it.each<[string, UsbFacts, RegExp]>([
    ['a free device', stickFacts(), /usb assign usb-57c1\w+ -n NAMESPACE/],
    ['an assigned one', assignedFacts(), /usb attach usb-57c1\w+ VM\.lab.*usb claim/],
    [
      'one that a VM waits for',
      assignedFacts('lab', { vms: [waiting] }),
      /describe virtualmachine web -n lab/,
    ],
    ['an attached one', assignedFacts('lab', { vms: [web] }), /usb detach usb-57c1\w+ web\.lab/],
    ['one that changed', assignedFacts('lab', { nodeUsbDevices: [changed] }), /--approve-change/],
    ['one that is not ready', assignedFacts('lab', { nodeUsbDevices: [away] }), /describe nodeusbdevice/],
    ['an unplugged one', assignedFacts('lab', { statuses: UNPLUGGED }), /usb unassign/],
  ])('for %s is a command', (_what, facts, next) => {
    expect(adviceFor(stickRow(facts)).next).toMatch(next);
  });
});

describe('the page', () => {
  it('tells of the assignment and its VM', () => {
    const facts = assignedFacts('lab', { vms: [web] });
    const page = showPage({ row: stickRow(facts), statuses: facts.statuses, events: [], now: NOW });
    expect(page).toMatch(
      /^Assigned to:\n {2}Namespace: +lab\n {2}Ready: +True, Ready\n {2}VM: +web\.lab, attached$/m,
    );
  });
});

describe('usb list', () => {
  it('asks for all kinds side by side, and for VMs of the namespace only', async () => {
    const kube = kubeOf(assignedFacts('lab', { vms: [web] }));
    const { out } = await run('usb list -n lab', { kube });
    expect(out).toMatch(/ lab +Attached +vm\/web\.lab /);
    expect(kube.calls.sort()).toEqual([
      'list nodes',
      'list nodeusbdevices',
      'list resourceclaims',
      'list usbdevices@lab',
      'list usbnodestatuses',
      'list virtualmachines@lab',
    ]);
  });

  it.each([
    ['forbidden', forbidden('these')],
    ['not served', new TypedError('API_NOT_SERVED', 'unknown kind')],
  ])('works as before, without a note, where the new kinds are %s', async (_what, error) => {
    const kinds = { nodeusbdevices: error, usbdevices: error, virtualmachines: error };
    const refused = await run('usb list', { kube: new FakeKube(kinds) });
    expect(refused).toEqual(await run('usb list', { kube: new FakeKube() }));
    expect([refused.code, refused.err]).toEqual([0, '']);
  });

  it('does not hide other failures of these kinds', async () => {
    const kube = new FakeKube({ virtualmachines: new TypedError('SERVER_ERROR', 'etcd is away') });
    expect((await run('usb list', { kube })).code).toBe(1);
  });

  it('follows assignments and VMs with --watch', async () => {
    const kube = kubeOf(assignedFacts('lab', { vms: [waiting] }));
    const { FakeHost } = await import('./fake-host.ts');
    const { runProgram } = await import('../../../plugin/run/program.ts');
    const host = new FakeHost({ kube });
    const ended = runProgram(['usb', 'list', '-w'], host);
    await expect.poll(() => host.out).toContain('Assigned');
    kube.happen('virtualmachines', { type: 'MODIFIED', object: web });
    await expect.poll(() => host.out).toMatch(/Attached +vm\/web\.lab/);
    host.stop.abort();
    expect(await ended).toBe(0);
  });
});
