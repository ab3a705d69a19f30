// Devices in pods: the bytes are right in both modes, here and on another node, and nothing else appears.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../cluster.ts';
import { Gadget } from '../gadget.ts';
import { CHECKOUT, NODE_JS } from '../guest-files.ts';
import { fromCheckout } from '../manifests.ts';
import type { LabNode } from '../node.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { waitFor } from '../wait.ts';
import { agentsOn, devicesOf, listed, offered } from './agents.ts';
import { claimManifest, deleteClaimPod, inPod, podManifest, runClaimPod, running } from './claims.ts';

let cluster: Cluster;
let a: LabNode;
let b: LabNode;
const plugged: Gadget[] = [];

beforeAll(async () => {
  cluster = await sharedCluster();
  [a, b] = [cluster.node('a'), cluster.node('b')];
  await agentsOn(cluster);
  await a.ok('[ -s /run/medium ] || head -c 32M /dev/urandom >/run/medium');
});

afterEach(async () => {
  await deleteClaimPod(cluster, 'user');
  for (const gadget of plugged.splice(0)) await gadget.remove();
  await waitFor('no device is left in the list', async () => (await devicesOf(cluster, 'a')).length === 0);
});

async function plugDisk(): Promise<string> {
  plugged.push(
    await Gadget.plug(a, { name: 'DISK', kind: 'storage', udc: 0, file: '/run/medium', serial: 'DISK1' }),
  );
  return offeredName('DISK1');
}

async function offeredName(serial: string): Promise<string> {
  const { name } = await listed(cluster, 'a', serial);
  await offered(cluster, name);
  return name;
}

const isolated = () => b.ok('ls /dev/sd* /dev/hidraw* /dev/input/event* 2>/dev/null; true');

describe('mode driver', () => {
  it.each(['a', 'b'])('gives a pod on %s the disk of a with the same bytes', async (node) => {
    const device = await plugDisk();
    const hash = (await a.ok('sha256sum </run/medium')).split(' ')[0];
    await runClaimPod(cluster, { name: 'user', node, device });
    expect((await inPod(cluster, 'user', 'sha256sum /dev/sd?')).split(' ')[0]).toBe(hash);
    await inPod(cluster, 'user', 'dd if=/dev/urandom of=$(ls /dev/sd?) bs=64k count=16 2>/dev/null; sync');
    const written = (
      await inPod(cluster, 'user', 'dd if=$(ls /dev/sd?) bs=64k count=16 2>/dev/null | sha256sum')
    ).split(' ')[0];
    await deleteClaimPod(cluster, 'user');
    expect((await a.ok('head -c 1M /run/medium | sha256sum')).split(' ')[0]).toBe(written);
  });

  it('carries bytes both ways between a modem on a and a pod on b', async () => {
    const modem = await Gadget.plug(a, { name: 'MODEM', kind: 'acm', udc: 1, serial: 'MODEM1' });
    plugged.push(modem);
    await runClaimPod(cluster, { name: 'user', node: 'b', device: await offeredName('MODEM1') });
    const own = await modem.ownEnd();
    await a.ok(`stty -F ${own} raw -echo`);
    await inPod(cluster, 'user', 'stty -F /dev/ttyACM0 raw -echo');
    const toPod = inPod(cluster, 'user', 'timeout 20 head -n 1 /dev/ttyACM0');
    await waitFor('the pod reads', async () => {
      await a.ok(`echo from-a >${own}`);
      return Promise.race([toPod, sleep(500, undefined)]);
    });
    expect((await toPod).trim()).toBe('from-a');
    const toModem = a.ok(`timeout 20 head -n 1 ${own}`, { timeout: 30_000 });
    await waitFor('the modem reads', async () => {
      await inPod(cluster, 'user', 'echo from-b >/dev/ttyACM0');
      return Promise.race([toModem, sleep(500, undefined)]);
    });
    expect((await toModem).trim()).toBe('from-b');
  });

  it('is refused for a keyboard that a rule offers, with the way out in the event of the pod', async () => {
    plugged.push(await Gadget.plug(a, { name: 'KEYS', kind: 'hid', udc: 2, serial: 'ALLOWED1' }));
    const pod = { name: 'user', node: 'b', device: await offeredName('ALLOWED1') };
    await cluster.apply([claimManifest(pod), podManifest(pod)]);
    const event = await waitFor('the kubelet tells', async () => {
      const text = await cluster.kubectl(
        'get',
        'events',
        '--field-selector=involvedObject.name=user',
        '-o',
        'json',
      );
      return /KEYBOARD_NEEDS_USBFS|mode usbfs/.exec(text)?.[0];
    });
    expect(event).toBeTruthy();
    expect(await b.ok('ls /dev/input 2>/dev/null; true')).toBe('');
  });
});

describe('mode usbfs', () => {
  it('lets a program in the pod read descriptors and an interrupt endpoint, and nothing appears on b', async () => {
    const hid = await Gadget.plug(a, { name: 'PAD', kind: 'hid', udc: 3, serial: 'ALLOWED-PAD' });
    plugged.push(hid);
    const before = await isolated();
    const name = await offeredName('ALLOWED-PAD');
    const pod = { name: 'user', node: 'b', device: name, mode: 'usbfs' as const };
    const program = fromCheckout([NODE_JS, `${CHECKOUT}/test/lab/usb/usbfs-reader.ts`])(podManifest(pod));
    await cluster.apply([claimManifest(pod), program]);
    await running(cluster, 'user');
    const logs = () => cluster.kubectl('logs', 'user');
    await waitFor('the program waits for a report', async () => (await logs()).includes('waiting'));
    await a.ok(`printf '\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00' >${await hid.ownEnd()}`);
    const text = await waitFor('the report is there', async () => {
      const now = await logs();
      return now.includes('report') ? now : undefined;
    });
    expect(text).toContain('device 0627:0001');
    expect(text).toContain('report 0000040000000000');
    expect(await isolated()).toBe(before);
  });
});
