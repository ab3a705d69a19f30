// The real agents of two nodes, a kubelet that calls one of them, and what a claim leaves on both.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ObjectRef } from '../../../proto/api/gen/usb-node-status.ts';
import { CLAIM_ANNOTATIONS, NODE_ANNOTATIONS } from '../../../proto/api/names.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { AgentBench, type BenchNode } from '../../support/agent-bench.ts';
import type { AgentProcess } from '../../support/agent-process.ts';
import { DISK, KEYBOARD, TOKEN } from '../../support/fake-usb-device.ts';

/** The first port of the SuperSpeed hub, and the bus behind it. */
const SUPER_SPEED_PORT = 8;
const FREE = 4;
const USED = 6;

let bench: AgentBench;
let a: BenchNode;
let b: BenchNode;
let agentA: AgentProcess;
let agentB: AgentProcess;
/** Names in the ResourceSlices. */
let disk: string;
let token: string;
const claims: ObjectRef[] = [];

beforeAll(async () => {
  bench = await AgentBench.open();
  a = await bench.node('a');
  b = await bench.node('b');
  a.kernel.plug('2-1', DISK);
  b.kernel.plug('1-1', TOKEN);
  // It has no agent.
  await bench.nodeObject('c', '127.0.0.9');
  [agentA, agentB] = await Promise.all([a.start(), b.start()]);
  [disk, token] = await Promise.all([deviceOf(a), deviceOf(b)]);
}, 60_000);
afterAll(() => bench.close());
afterEach(async () => {
  // So that a test that fails leaves nothing to the next.
  for (const claim of claims.splice(0)) {
    await Promise.all([a.kubelet.unprepare(claim), b.kubelet.unprepare(claim)]);
    await bench.forget(claim);
  }
});

/** For machines that are busy with other things. */
const soon = { timeout: 10_000, interval: 10 };
vi.setConfig({ testTimeout: 60_000 });

async function deviceOf(node: BenchNode): Promise<string> {
  await vi.waitFor(async () => expect(await node.published()).toHaveLength(1), soon);
  const [device] = await node.published();
  return device?.name ?? '';
}

async function claimOn(node: BenchNode, pool: BenchNode, device: string, mode?: 'usbfs' | 'driver') {
  const claim = await bench.claim(`claim-${Math.random().toString(36).slice(2)}`, {
    pool: pool.name,
    device,
    node: node.name,
    ...(mode && { mode }),
  });
  claims.push(claim);
  return claim;
}

describe('a device of the same node', () => {
  it('is prepared, told to everybody who must know, and given back', async () => {
    const claim = await claimOn(b, b, token);
    const [prepared] = await b.kubelet.prepare(claim);
    expect(prepared).toMatchObject({ poolName: 'b', deviceName: token, requestNames: ['usb'] });
    expect(b.kept()).toMatchObject({ checkpoints: [claim.uid] });
    expect(b.cdiFile().devices[0]?.containerEdits.deviceNodes).toMatchObject([
      { path: '/dev/bus/usb/001/002' },
    ]);
    const addresses = JSON.parse((await bench.annotations(claim))[CLAIM_ANNOTATIONS.deviceAddresses] ?? '');
    expect(addresses).toEqual([{ deviceName: token, usbAddress: '001:002' }]);
    const attachment = {
      claim,
      device: token,
      pool: 'b',
      transport: 'local',
      state: 'Attached',
      busID: '1-1',
    };
    await expect.poll(() => b.status(), soon).toMatchObject({ attachments: [attachment] });
    await b.kubelet.unprepare(claim);
    expect(b.kept()).toEqual({ checkpoints: [], cdi: [] });
    await expect.poll(() => b.status(), soon).toMatchObject({ attachments: [] });
  });
});

describe('a device of another node', () => {
  it('is imported, told on both nodes, and given back to its driver', async () => {
    const claim = await claimOn(b, a, disk);
    await b.kubelet.prepare(claim);
    expect(b.kernel.portState(SUPER_SPEED_PORT)).toBe(USED);
    expect(a.driverOf('2-1')).toBe('usbip-host');
    expect(b.kept()).toMatchObject({ checkpoints: [claim.uid] });
    expect(b.cdiFile().devices[0]?.containerEdits.deviceNodes).toMatchObject([
      { path: '/dev/bus/usb/010/002' },
    ]);
    expect((await bench.annotations(claim))[CLAIM_ANNOTATIONS.deviceAddresses]).toContain('010:002');
    const [pod] = [{ namespace: 'default', name: claim.name }];
    await expect
      .poll(() => b.status(), soon)
      .toMatchObject({
        attachments: [
          { claim, pod, device: disk, pool: 'a', transport: 'plain', vhciPort: SUPER_SPEED_PORT },
        ],
        ports: { superSpeed: { total: 8, used: 1 } },
      });
    const exported = { device: disk, busID: '2-1', peer: 'b', claim, transport: 'plain' };
    await expect.poll(() => a.status(), soon).toMatchObject({ exports: [exported] });
    expect(await agentA.metric('virt_usb_plain_exports')).toBe(1);
    expect(await agentA.metric('virt_usb_exporter_requests_total{outcome="exported"}')).toBe(1);
    await b.kubelet.unprepare(claim);
    await given(a, b);
    await expect.poll(() => a.status(), soon).toMatchObject({ exports: [] });
    await expect
      .poll(() => b.status(), soon)
      .toMatchObject({
        attachments: [],
        ports: { superSpeed: { used: 0 } },
      });
    const seconds = 'virt_usb_claim_seconds_count{call="prepare",outcome="ok"}';
    expect(await agentB.metric(seconds)).toBeGreaterThan(0);
  });

  it('gives a pod in driver mode the disk with its partition', async () => {
    const claim = await claimOn(b, a, disk, 'driver');
    await b.kubelet.prepare(claim);
    const paths = b.cdiFile().devices[0]?.containerEdits.deviceNodes.map(({ path }) => path);
    expect(paths).toEqual(['/dev/bus/usb/010/003', '/dev/sda', '/dev/sda1', '/dev/sg0']);
    await b.kubelet.unprepare(claim);
    await given(a, b);
  });

  it('stays in the slices of its owner while another node has it', async () => {
    const claim = await claimOn(b, a, disk);
    await b.kubelet.prepare(claim);
    expect(await a.published()).toMatchObject([{ name: disk }]);
    await b.kubelet.unprepare(claim);
    await given(a, b);
    expect(await a.published()).toMatchObject([{ name: disk }]);
  });

  it('is refused to a node that is not that of the pod', async () => {
    const claim = await bench.claim('elsewhere', { pool: 'a', device: disk, node: 'c' });
    claims.push(claim);
    await expect(b.kubelet.prepare(claim)).rejects.toThrow('PEER_REFUSED');
    expect(b.kept()).toEqual({ checkpoints: [], cdi: [] });
    expect(a.driverOf('2-1')).toBe('usb');
    expect(await agentA.metric('virt_usb_exporter_requests_total{outcome="refused"}')).toBe(1);
  });
});

describe('an agent that is started anew while a claim stands', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'of the importing node by %s answers the same and frees it',
    async (signal) => {
      const claim = await claimOn(b, a, disk);
      const first = await b.kubelet.prepare(claim);
      const written = b.cdiFile();
      await agentB.stop(signal);
      expect(b.kernel.portState(SUPER_SPEED_PORT)).toBe(USED);
      agentB = await b.start();
      expect(await b.kubelet.prepare(claim)).toEqual(first);
      expect(b.cdiFile()).toEqual(written);
      await expect
        .poll(() => b.status(), soon)
        .toMatchObject({ attachments: [{ claim, state: 'Attached' }] });
      await b.kubelet.unprepare(claim);
      expect(b.kept()).toEqual({ checkpoints: [], cdi: [] });
      await given(a, b);
    },
  );

  it('of the owner knows that the device is away and takes it back when it is freed', async () => {
    const claim = await claimOn(b, a, disk);
    await b.kubelet.prepare(claim);
    await agentA.stop('SIGKILL');
    agentA = await a.start();
    await expect.poll(() => a.status(), soon).toMatchObject({ exports: [{ device: disk, busID: '2-1' }] });
    expect(await a.published()).toMatchObject([{ name: disk }]);
    await b.kubelet.unprepare(claim);
    await given(a, b);
    await expect.poll(() => a.status(), soon).toMatchObject({ exports: [] });
  });
});

describe('a device that is pulled out while a pod of another node has it', () => {
  it('stays in the slices with a taint, and is itself again when it comes back', async () => {
    const claim = await claimOn(b, a, disk);
    await b.kubelet.prepare(claim);
    a.kernel.unplug('2-1');
    const tainted = [{ name: disk, taints: [{ key: 'kubectl-virt.dev/unplugged', effect: 'NoSchedule' }] }];
    await expect.poll(() => a.published(), soon).toMatchObject(tainted);
    expect(b.kernel.portState(SUPER_SPEED_PORT)).toBe(FREE);
    a.kernel.plug('2-1', DISK);
    await expect.poll(async () => (await a.published())[0]?.taints, soon).toBeUndefined();
    expect(await a.published()).toMatchObject([{ name: disk }]);
    await given(a, b);
    await b.kubelet.unprepare(claim);
    await b.kubelet.prepare(claim);
    expect(a.driverOf('2-1')).toBe('usbip-host');
    await b.kubelet.unprepare(claim);
    await given(a, b);
  });
});

describe('two agents', () => {
  it('tell each other the address of their exporters', async () => {
    const { metadata } = await bench.kube.get(RESOURCE_TYPES.nodes, { name: 'a' });
    expect(metadata.annotations?.[NODE_ANNOTATIONS.address]).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it('do not offer what was imported, and never a keyboard', async () => {
    a.kernel.plug('1-1', KEYBOARD);
    const claim = await claimOn(b, a, disk);
    await b.kubelet.prepare(claim);
    await expect.poll(async () => (await a.status())?.devices.length, soon).toBe(2);
    expect((await b.status())?.devices).toMatchObject([{ name: token }]);
    expect(await a.published()).toHaveLength(1);
    const keyboard = (await a.status())?.devices.find(({ serial }) => serial === 'KBD1')?.name ?? '';
    await expect(a.kubelet.prepare(await claimOn(a, a, keyboard))).rejects.toThrow('DEVICE_BLOCKED');
    await b.kubelet.unprepare(claim);
    await given(a, b);
    a.kernel.unplug('1-1');
  });
});

/** The port is free, and the owner's kernel has the device again. */
async function given(owner: BenchNode, importer: BenchNode): Promise<void> {
  expect(importer.kernel.portState(SUPER_SPEED_PORT)).toBe(FREE);
  await expect.poll(() => owner.driverOf('2-1'), soon).toBe('usb');
}
