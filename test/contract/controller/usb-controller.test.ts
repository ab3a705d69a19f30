// The USB controller against an API server: the life of a device, two replicas, and a server that fails.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import type { Lease } from '../../../proto/api/lease.ts';
import { FINALIZERS, NODE_LABELS, TEMPLATE_ANNOTATIONS } from '../../../proto/api/names.ts';
import type { ResourceClaimTemplate } from '../../../proto/api/resource-claim-template.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { ControllerBench, LEASE_KEY } from '../../support/controller/controller-bench.ts';
import {
  DIGITS_B,
  PRINT_A,
  PRINT_B,
  pluggedDevice,
  virtualMachine,
} from '../../support/controller/objects.ts';

/** For machines that are busy with other things. */
const soon = { timeout: 10_000, interval: 5 };
const FREE = 'Ready=True/Ready Assigned=False/Available Attached=False/Available';
const GIVEN = 'Ready=True/Ready Assigned=True/Assigned Attached=False/Available';
const AWAY = 'Ready=False/NotFound Assigned=True/Assigned Attached=False/Available';
const DISK = 'usb-disk';
const BOTH = [`lab/${DISK}`, `lab/${DISK}-template`];

vi.setConfig({ testTimeout: 30_000 });

let bench: ControllerBench;

beforeEach(async () => {
  bench = await ControllerBench.open();
});
afterEach(() => bench.close());

const state = (wanted: string, name = DISK) => expect.poll(() => bench.conditions(name), soon).toBe(wanted);
const given = (wanted: string[]) => expect.poll(() => bench.given(), soon).toEqual(wanted);

async function assignedDisk(): Promise<void> {
  bench.publish('a', pluggedDevice(DISK));
  await state(FREE);
  await bench.spec(DISK, { assignedNamespace: 'lab' });
  await state(GIVEN);
  await given(BOTH);
}

function machine(attached: boolean): void {
  const { metadata, spec, status } = virtualMachine('lab', 'vm', [DISK], {
    attached: attached ? [DISK] : [],
  });
  bench.put(RESOURCE_TYPES.virtualMachines, { metadata, spec, status });
}

describe('the life of a device', () => {
  it('goes from plug to assignment, unplug, re-plug and back', async () => {
    bench.replica('one');
    await assignedDisk();
    expect(bench.device(DISK)?.metadata.ownerReferences).toBeUndefined();
    bench.publish('a');
    await state(AWAY);
    expect(bench.given()).toEqual(BOTH);
    bench.publish('a', pluggedDevice(DISK, { busID: '2-4' }));
    await state(GIVEN);
    await bench.spec(DISK, { assignedNamespace: '' });
    await state(FREE);
    await given([]);
    const kinds = ['Plugged', 'Assigned', 'Unplugged', 'Plugged', 'Unassigned'];
    await expect.poll(() => bench.reasons(DISK), soon).toEqual(kinds);
    expect(bench.reasons(DISK, 'USBDevice')).toEqual(['Assigned', 'Plugged', 'Unplugged', 'Plugged']);
  });

  it('gives the namespace an object and a template that belong to each other', async () => {
    bench.replica('one');
    await assignedDisk();
    const [shown] = bench.all<UsbDevice>(RESOURCE_TYPES.usbDevices);
    const [template] = bench.all<ResourceClaimTemplate>(RESOURCE_TYPES.resourceClaimTemplates);
    expect(shown?.metadata.finalizers).toEqual([FINALIZERS.usbDevice]);
    expect(shown?.metadata.ownerReferences).toMatchObject([
      { kind: 'NodeUSBDevice', name: DISK, uid: bench.device(DISK)?.metadata.uid, controller: true },
    ]);
    expect(shown?.status).toMatchObject({
      nodeName: 'a',
      fingerprint: PRINT_A,
      attributes: { speed: 5_000 },
    });
    expect(template?.metadata.ownerReferences).toMatchObject([
      { kind: 'USBDevice', name: DISK, uid: shown?.metadata.uid, controller: true },
    ]);
    expect(template?.metadata.annotations?.[TEMPLATE_ANNOTATIONS.specHash]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('moves it to another namespace, and waits for the machine that still has it', async () => {
    bench.replica('one');
    await assignedDisk();
    machine(true);
    await state('Ready=True/Ready Assigned=True/Assigned Attached=True/AttachedToVirtualMachine');
    await bench.spec(DISK, { assignedNamespace: 'shop' });
    await state('Ready=True/Ready Assigned=False/InProgress Attached=True/AttachedToVirtualMachine');
    await given([`lab/${DISK}`]);
    expect(bench.shown('lab', DISK)).toMatch(/^Ready=False\/NotReady/);
    machine(false);
    await given([`shop/${DISK}`, `shop/${DISK}-template`]);
    await state(GIVEN);
  });

  it('withholds another device under the same name until it is approved', async () => {
    bench.replica('one');
    await assignedDisk();
    bench.publish('a', pluggedDevice(DISK, { fingerprint: DIGITS_B }));
    await state('Ready=False/FingerprintChanged Assigned=True/Assigned Attached=False/Available');
    await given([`lab/${DISK}`]);
    expect(bench.device(DISK)?.status).toMatchObject({ fingerprint: PRINT_B, pinnedFingerprint: PRINT_A });
    await bench.spec(DISK, { fingerprint: PRINT_B });
    await state(GIVEN);
    await given(BOTH);
    expect(bench.device(DISK)?.status?.pinnedFingerprint).toBe(PRINT_B);
  });

  it('outlives its namespace', async () => {
    bench.replica('one');
    await assignedDisk();
    bench.remove(RESOURCE_TYPES.namespaces, { name: 'lab' });
    await state(FREE);
    await given([]);
    expect(bench.device(DISK)?.spec.assignedNamespace).toBe('lab');
    await expect.poll(() => bench.reasons(DISK), soon).toContain('NamespaceMissing');
    bench.put(RESOURCE_TYPES.namespaces, { metadata: { name: 'lab' } });
    await state(GIVEN);
    await given(BOTH);
  });

  it('is forgotten a minute after it was pulled out, but only when nobody has it assigned', async () => {
    bench.replica('one');
    bench.publish('a', pluggedDevice(DISK), pluggedDevice('usb-free'));
    await state(FREE);
    await bench.spec(DISK, { assignedNamespace: 'lab' });
    await state(GIVEN);
    bench.publish('a');
    await state(AWAY);
    await state('Ready=False/NotFound Assigned=False/Available Attached=False/Available', 'usb-free');
    bench.ahead += 61_000;
    bench.node('b', 'False');
    await expect.poll(() => bench.device('usb-free'), soon).toBeUndefined();
    await state(AWAY);
  });

  it('follows a node that stops answering, and one that is gone', async () => {
    bench.replica('one');
    bench.node('a', 'True', { [NODE_LABELS.gateway]: 'true', [NODE_LABELS.gatewayNode]: 'any' });
    await assignedDisk();
    bench.node('a', 'Unknown', { [NODE_LABELS.gateway]: 'true', [NODE_LABELS.gatewayNode]: 'any' });
    await state('Ready=False/NodeNotReady Assigned=True/Assigned Attached=False/Available');
    bench.ahead += 61_000;
    bench.node('b', 'False');
    const labels = () => bench.all(RESOURCE_TYPES.nodes)[0]?.metadata.labels;
    await expect.poll(labels, soon).toEqual({ [NODE_LABELS.gatewayNode]: 'any' });
    bench.remove(RESOURCE_TYPES.nodes, { name: 'a' });
    await expect
      .poll(() => bench.device(DISK)?.status?.conditions?.[0]?.message, soon)
      .toBe('node a does not exist');
    expect(bench.all(RESOURCE_TYPES.resourceSlices)).toHaveLength(1);
    bench.ahead += 5 * 60_000;
    bench.node('b', 'True');
    await expect.poll(() => bench.all(RESOURCE_TYPES.resourceSlices), soon).toEqual([]);
    await state(AWAY);
  });
});

describe('two replicas', () => {
  it('write through one of them, and the other goes on at once when that stops', async () => {
    const first = bench.replica('one');
    await assignedDisk();
    const second = bench.replica('two');
    await expect.poll(() => second.controller.probes().ready.objects?.(), soon).toBeUndefined();
    expect([first.controller.leads, second.controller.leads]).toEqual([true, false]);
    await first.controller.stop();
    await expect.poll(() => second.controller.leads, soon).toBe(true);
    bench.publish('a');
    await state(AWAY);
    const [lease] = bench.all<Lease>(RESOURCE_TYPES.leases);
    expect(lease?.spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  it("write nothing any more once the lease is another's", async () => {
    const { controller } = bench.replica('one');
    await assignedDisk();
    const spec = { holderIdentity: 'stranger', leaseDurationSeconds: 60 };
    bench.put(RESOURCE_TYPES.leases, { metadata: LEASE_KEY, spec });
    await expect.poll(() => controller.leads, soon).toBe(false);
    const writes = bench.writes();
    bench.publish('a');
    await new Promise((resolve) => setTimeout(resolve, 200));
    writes.end();
    expect(writes.seen).toEqual(['resourceslices']);
    expect(bench.conditions(DISK)).toBe(GIVEN);
  });
});

describe('an API server that fails', () => {
  it('is written to again from what it holds now after a conflict', async () => {
    bench.replica('one');
    await assignedDisk();
    bench.api.faults.once(
      { status: 409 },
      (method, path) => method === 'PUT' && path.includes(`${DISK}/status`),
    );
    bench.api.faults.once(
      { status: 500 },
      (method, path) => method === 'PUT' && path.includes(`${DISK}/status`),
    );
    bench.publish('a');
    await state(AWAY);
    expect(bench.given()).toEqual(BOTH);
  });

  it('that refuses one device gets all others', async () => {
    const { controller } = bench.replica('one');
    await expect.poll(() => controller.leads, soon).toBe(true);
    const bad = (method: string, path: string) => method === 'PUT' && path.includes('usb-bad/status');
    for (let count = 0; count < 3; count++) bench.api.faults.once({ status: 422 }, bad);
    const others = Array.from({ length: 20 }, (_, index) => pluggedDevice(`usb-${index}`));
    bench.publish('a', pluggedDevice('usb-bad'), ...others);
    for (const { name } of others) await state(FREE, name);
    const failures = async () => (await controller.metrics.failures.get()).values;
    expect(await failures()).toMatchObject([{ labels: { code: 'INVALID_OBJECT' } }]);
    await state(FREE, 'usb-bad');
  });

  it('finds the controller at work again when it is back', async () => {
    const { controller, log } = bench.replica('one');
    await assignedDisk();
    const back = await bench.outage();
    await expect.poll(() => log.lines.some(({ level }) => level === 'warn'), soon).toBe(true);
    await back();
    bench.publish('a');
    await state(AWAY);
    expect(bench.given()).toEqual(BOTH);
    expect(controller.leads).toBe(true);
  });

  it('that was not heard of yet is never taken for an empty cluster', async () => {
    const first = bench.replica('one');
    await assignedDisk();
    await first.controller.stop();
    const slow = (_: string, path: string) => path.includes('resourceslices');
    bench.api.faults.once({ delay: 400 }, slow);
    const writes = bench.writes();
    const second = bench.replica('two');
    await expect.poll(() => second.controller.leads, soon).toBe(true);
    expect(second.controller.probes().ready.objects?.()).toContain('resourceslices');
    await expect.poll(() => second.controller.probes().ready.objects?.(), soon).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 150));
    writes.end();
    expect(writes.seen).toEqual([]);
  });

  it('without virtual machines is served all the same', async () => {
    await bench.close();
    bench = await ControllerBench.open({ machines: false });
    const { controller, log } = bench.replica('one');
    await assignedDisk();
    expect(controller.probes().ready.objects?.()).toBeUndefined();
    expect(log.lines.filter(({ message }) => message.includes('virtualmachines'))).toHaveLength(1);
  });
});

describe('a big cluster', () => {
  const nodes = Array.from({ length: 30 }, (_, index) => `n${index}`);
  const devices = (node: string) =>
    Array.from({ length: 5 }, (_, index) => pluggedDevice(`usb-${node}-${index}`));

  it('comes to rest with few writes, and then nothing is written', async () => {
    for (const name of nodes) {
      bench.node(name, 'True');
      bench.publish(name, ...devices(name));
    }
    const { controller } = bench.replica('one');
    const ready = () =>
      bench.all<NodeUsbDevice>(RESOURCE_TYPES.nodeUsbDevices).filter(({ status }) => status?.conditions)
        .length;
    await expect.poll(ready, { timeout: 20_000, interval: 20 }).toBe(150);
    await expect.poll(async () => (await controller.metrics.pending.get()).values[0]?.value, soon).toBe(0);
    const { values } = await controller.metrics.steps.get();
    expect(values).toEqual([{ labels: { kind: 'nodeUsbDevices', do: 'create' }, value: 150 }]);
    const writes = bench.writes();
    bench.node('b', 'True', { unrelated: 'true' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    writes.end();
    expect(writes.seen).toEqual(['nodes']);
  });
});
