// The life of a claim: taken, given back, taken by the next, on either node, whatever restarts in between.
import { describe, expect, it } from 'vitest';
import { takeInventory } from '../inventory.ts';
import { waitFor } from '../wait.ts';
import { nodeStatus, restartAgent } from './agents.ts';
import { deleteClaimPod } from './claims.ts';
import { diskOnA } from './disk-on-a.ts';
import { claimRef, prepare, unprepare } from './kubelet-call.ts';

const stage = diskOnA('LIFE1');

describe('deleting the pod', () => {
  it('frees the vhci port and the exporter, and the other node can claim the device at once', async () => {
    const { cluster, a, b, busid } = stage();
    const times: number[] = [];
    for (const node of ['a', 'b', 'a', 'b'] as const) {
      const name = `on-${node}`;
      times.push(await stage().claim(name, node));
      const used = { a: await takeInventory(a), b: await takeInventory(b) };
      expect(used.a.exports).toEqual(node === 'b' ? [`${busid} 2`] : []);
      expect(used.b.ports).toHaveLength(node === 'b' ? 1 : 0);
      await deleteClaimPod(cluster, name);
      expect((await takeInventory(b)).ports).toEqual([]);
    }
    console.log(`created -> running on a, b, a, b: ${times.map(Math.round).join(', ')} ms`);
  });

  it('is told in USBNodeStatus of both nodes', async () => {
    const { cluster, device } = stage();
    await stage().claim('told', 'b');
    const told = async () => ({
      attached: (await nodeStatus(cluster, 'b')).attachments.map(({ claim }) => claim.name),
      exported: (await nodeStatus(cluster, 'a')).exports.map((row) => [
        row.device,
        row.peer,
        row.claim?.name,
      ]),
    });
    await waitFor('both nodes tell', async () => {
      const { attached, exported } = await told();
      return attached.length > 0 && exported.length > 0;
    });
    expect(await told()).toEqual({ attached: ['told'], exported: [[device, 'b', 'told']] });
  });
});

/** What the kernel of b has of an import; another one would get other numbers. */
async function importOnB(): Promise<string> {
  return stage().b.ok(`
    cat /sys/devices/platform/vhci_hcd.0/status* | awk '$3 == "006"'
    for d in /sys/devices/platform/vhci_hcd.0/usb*/*-*/devnum; do echo $d $(cat $d); done
  `);
}

describe('a claim that is prepared again', () => {
  it('is answered alike, and nothing is attached anew', async () => {
    const { cluster, b } = stage();
    await stage().claim('twice', 'b');
    const claim = await claimRef(cluster, 'twice');
    const before = await importOnB();
    const [first, second] = await Promise.all([prepare(b, claim), prepare(b, claim)]);
    expect(first).toEqual(second);
    expect(first[0]).toMatchObject({ poolName: 'a', deviceName: stage().device });
    expect(first[0]?.cdiDeviceIds.some((id) => id.includes(claim.uid))).toBe(true);
    expect(await importOnB()).toBe(before);
    await stage().readable('twice');
  });

  it.each(['TERM', 'KILL'] as const)(
    'after SIG%s to the agent of its node keeps CDI id and device',
    async (signal) => {
      const { cluster, b } = stage();
      await stage().claim('kept', 'b');
      const claim = await claimRef(cluster, 'kept');
      const before = await prepare(b, claim);
      const kernel = await importOnB();
      await restartAgent(cluster, b, signal);
      expect(await prepare(b, claim)).toEqual(before);
      expect(await importOnB()).toBe(kernel);
      await stage().readable('kept');
    },
  );

  it.each(['TERM', 'KILL'] as const)(
    'after SIG%s to the agent of the owner keeps its device',
    async (signal) => {
      const { cluster, a, b } = stage();
      await stage().claim('lent', 'b');
      const claim = await claimRef(cluster, 'lent');
      const before = await prepare(b, claim);
      const kernel = await importOnB();
      await restartAgent(cluster, a, signal);
      expect(await prepare(b, claim)).toEqual(before);
      expect(await importOnB()).toBe(kernel);
      await stage().readable('lent');
    },
  );

  it('after a restart of the kubelet keeps its device, and its pod goes on', async () => {
    const { cluster, b } = stage();
    await stage().claim('kubelet', 'b');
    const kernel = await importOnB();
    await cluster.stopKubelet(b);
    await cluster.startKubelet(b);
    await stage().readable('kubelet');
    expect(await importOnB()).toBe(kernel);
    await deleteClaimPod(cluster, 'kubelet');
    expect((await takeInventory(b)).ports).toEqual([]);
  });
});

describe('a claim that this node never had', () => {
  it('is unprepared with success', async () => {
    const { b } = stage();
    const claim = { namespace: 'default', name: 'never', uid: '00000000-0000-4000-8000-000000000000' };
    await unprepare(b, claim);
    await unprepare(b, claim);
  });
});

describe('an agent that has nothing to do', () => {
  it.each(['TERM', 'KILL'] as const)('is replaced after SIG%s, and claims work as before', async (signal) => {
    const { cluster, a, b } = stage();
    await restartAgent(cluster, a, signal);
    await restartAgent(cluster, b, signal);
    await stage().claim('after', 'b');
  });
});
