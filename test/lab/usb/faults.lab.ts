// Whatever dies while a device is in use, nothing stays taken, and the next claim gets the device without help.
import { describe, expect, it, vi } from 'vitest';
import { takeInventory } from '../inventory.ts';
import { waitFor } from '../wait.ts';
import { AGENT_PROCESS, agentsReady, restartAgent, signalAgent } from './agents.ts';
import { claimManifest, deleteClaimPod, podManifest } from './claims.ts';
import { CHECKPOINTS, killAgentWhen } from './crash.ts';
import { diskOnA } from './disk-on-a.ts';
import { claimRef, unprepare } from './kubelet-call.ts';

const stage = diskOnA('FAULT1');

/** How often a crash is repeated. */
const TIMES = process.env.LAB_SOAK ? 10 : 2;

// The kubelet repeats a failed call after 11 to 16 s, and looks for forgotten claims once a minute.
vi.setConfig({ testTimeout: TIMES * 150_000 });

async function apply(name: string, node: 'a' | 'b'): Promise<void> {
  const { cluster, device } = stage();
  await cluster.apply([claimManifest({ name, device }), podManifest({ name, node, device })]);
}

/** Crashes with SIGKILL; the conditions are those of crash.ts. */
const WHILE_PREPARING = [
  ['b', 'the device is reserved', '{ claim_is PrepareStarted && ! port_is 00[567]; }'],
  ['b', 'the port is used', '{ claim_is PrepareStarted && port_is 00[56]; }'],
  ['b', 'the device is there', '{ claim_is PrepareStarted && port_is 006; }'],
  ['b', 'the container runtime knows it', '{ claim_is PrepareStarted && edits_are_written; }'],
  ['a', 'the device is handed over', 'export_is 2'],
] as const;

const WHILE_FREEING = [
  ['b', 'the port is free', '{ claim_is PrepareCompleted && ! port_is 00[567]; }'],
  ['b', 'the container runtime forgot it', '{ claim_is PrepareCompleted && ! edits_are_written; }'],
  ['a', 'the connection has ended', '{ export_is 1; }'],
] as const;

describe('a crash of the agent during Prepare', () => {
  it.each(WHILE_PREPARING)(
    'on %s when %s leaves nothing behind, and the pod runs in the end',
    async (node, _, moment) => {
      const { cluster } = stage();
      for (let time = 0; time < TIMES; time++) {
        await Promise.all([killAgentWhen(cluster.node(node), moment), apply('crash', 'b')]);
        await stage().readable('crash');
        await deleteClaimPod(cluster, 'crash');
        await agentsReady(cluster);
      }
    },
  );

  it.each(WHILE_PREPARING.slice(0, 4))(
    'on %s when %s leaves nothing behind when the pod is deleted before it ran',
    async (node, _, moment) => {
      const { cluster, b } = stage();
      await Promise.all([killAgentWhen(cluster.node(node), moment), apply('crash', 'b')]);
      await deleteClaimPod(cluster, 'crash');
      expect((await takeInventory(b)).ports).toEqual([]);
      await agentsReady(cluster);
    },
  );
});

describe('a crash of the agent during Unprepare', () => {
  it.each(WHILE_FREEING)('on %s when %s leaves nothing behind', async (node, _, moment) => {
    const { cluster } = stage();
    await stage().claim('crash', 'b');
    await Promise.all([killAgentWhen(cluster.node(node), moment), deleteClaimPod(cluster, 'crash')]);
    await stage().claim('next', 'b');
  });
});

describe('a pod that is deleted by force', () => {
  it.each(['b', 'a'] as const)('leaves its device to a new claim on %s at once', async (node) => {
    const { cluster } = stage();
    for (let time = 0; time < TIMES; time++) {
      await stage().claim('forced', 'b');
      await cluster.kubectl('delete', 'pod', 'forced', '--grace-period=0', '--force', '--wait=false');
      await cluster.kubectl('delete', 'resourceclaim', 'forced', '--wait=false');
      const name = `next-${time}`;
      console.log(`running after ${Math.round(await stage().claim(name, node))} ms`);
      await deleteClaimPod(cluster, name);
    }
  });

  it('while its agent is killed leaves its device to a new claim', async () => {
    const { cluster, b } = stage();
    await stage().claim('forced', 'b');
    await cluster.kubectl('delete', 'pod', 'forced', '--grace-period=0', '--force', '--wait=false');
    await restartAgent(cluster, b, 'KILL');
    await stage().claim('next', 'b');
  });

  it('while its kubelet is down gives its device back when the kubelet is up again', async () => {
    const { cluster, b } = stage();
    await stage().claim('forced', 'b');
    await cluster.stopKubelet(b);
    await cluster.kubectl('delete', 'pod', 'forced', '--grace-period=0', '--force', '--wait=false');
    await cluster.kubectl('delete', 'resourceclaim', 'forced', '--wait=false');
    await cluster.startKubelet(b);
    const begin = performance.now();
    await waitFor('the port is free', async () => (await takeInventory(b)).ports.length === 0, {
      timeout: 150_000,
      interval: 500,
    });
    console.log(`free ${Math.round(performance.now() - begin)} ms after the kubelet was ready`);
    await stage().claim('next', 'b');
  });
});

describe('a checkpoint that a person', () => {
  it.each([
    ['damaged', 'truncate -s 40'],
    ['deleted', 'rm'],
  ])('%s costs the pod nothing, and its device is given back all the same', async (_, command) => {
    const { cluster, b } = stage();
    await stage().claim('unknown', 'b');
    await b.ok(`${command} ${CHECKPOINTS}/*.json`);
    await restartAgent(cluster, b, 'KILL');
    await stage().readable('unknown');
    await deleteClaimPod(cluster, 'unknown');
    expect((await takeInventory(b)).ports).toEqual([]);
    await b.ok(`rm -f ${CHECKPOINTS}/*.corrupt-*`);
    await stage().claim('next', 'b');
  });
});

describe('the owner of the device', () => {
  it('that crashed before it handed the device over gives it back to its driver at the next start', async () => {
    const { cluster, a, busid } = stage();
    // The moment is too short to be met, so its state is made by hand.
    await a.ok(`
      kill -KILL $(pgrep -of '${AGENT_PROCESS}')
      cd /sys/bus/usb/drivers
      printf ${busid} >usb/unbind; printf 'add ${busid}' >usbip-host/match_busid; printf ${busid} >usbip-host/bind
      [ $(cat /sys/bus/usb/devices/${busid}/usbip_status) = 1 ]
    `);
    await waitFor(
      'the disk is back',
      async () => (await a.sh(`ls -d /sys/bus/usb/devices/${busid}/${busid}:*/host*`)).code === 0,
      {
        timeout: 90_000,
      },
    );
    await agentsReady(cluster);
    await stage().claim('next', 'b');
  });

  it('that does not answer keeps no pod from being deleted', async () => {
    const { cluster, a, b } = stage();
    await stage().claim('held', 'b');
    await signalAgent(a, 'STOP');
    try {
      await deleteClaimPod(cluster, 'held');
      expect((await takeInventory(b)).ports).toEqual([]);
    } finally {
      await signalAgent(a, 'CONT');
    }
  });

  it('without power keeps no pod from being deleted, and its device can be claimed after it boots', async () => {
    const { cluster, a, b } = stage();
    await stage().claim('held', 'b');
    const claim = await claimRef(cluster, 'held');
    await a.powerLoss();
    const begin = performance.now();
    await deleteClaimPod(cluster, 'held');
    console.log(`deleted after ${Math.round(performance.now() - begin)} ms`);
    expect((await takeInventory(b)).ports).toEqual([]);
    await unprepare(b, claim);
    await cluster.boot(a);
    await agentsReady(cluster);
    await stage().plug();
    await stage().claim('again', 'b');
  });
});

describe('the node of the pod', () => {
  it('without power gives the device back, and holds nothing after it boots', async () => {
    const { cluster, a, b } = stage();
    await stage().claim('lost', 'b');
    const boot = await b.ok('cat /proc/sys/kernel/random/boot_id');
    await b.powerLoss();
    const begin = performance.now();
    await waitFor('a has its device back', async () => (await takeInventory(a)).exports.length === 0, {
      timeout: 90_000,
    });
    console.log(`device back after ${Math.round(performance.now() - begin)} ms`);
    await cluster.kubectl('delete', 'pod', 'lost', '--grace-period=0', '--force');
    await cluster.kubectl('delete', 'resourceclaim', 'lost');
    await stage().claim('meanwhile', 'a');
    await deleteClaimPod(cluster, 'meanwhile');
    await cluster.boot(b);
    await agentsReady(cluster);
    expect(await b.ok('cat /proc/sys/kernel/random/boot_id')).not.toBe(boot);
    await stage().claim('again', 'b');
  });
});
