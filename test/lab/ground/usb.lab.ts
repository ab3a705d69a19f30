// The kernel's own USB/IP between two nodes, and the emulated devices: what our agent builds on, without our agent.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../cluster.ts';
import { Gadget } from '../gadget.ts';
import type { GadgetSpec } from '../gadget-plan.ts';
import { compareInventories, takeInventory } from '../inventory.ts';
import type { LabNode } from '../node.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { waitFor } from '../wait.ts';

let cluster: Cluster;
let a: LabNode;
let b: LabNode;
const plugged: Gadget[] = [];

beforeAll(async () => {
  cluster = await sharedCluster();
  a = cluster.node('a');
  b = cluster.node('b');
});

afterEach(async () => {
  for (const gadget of plugged.splice(0)) await gadget.remove();
});

async function plug(spec: GadgetSpec): Promise<Gadget> {
  const gadget = await Gadget.plug(a, spec);
  plugged.push(gadget);
  return gadget;
}

/** Shell: host drivers bind to what is imported, as they do until our agent has told the virtual hubs otherwise. */
const bindImports =
  'for hub in /sys/devices/platform/vhci_hcd.0/usb[0-9]*; do echo 1 >$hub/interface_authorized_default; done';

/** Shell: the device node of the disk that came over the virtual hub; its letter depends on what was there before. */
const importedDisk =
  "ls -d /sys/devices/platform/vhci_hcd.0/usb[0-9]*/*-1/*/host*/target*/*/block/sd* | sed 's|.*/|/dev/|' | grep .";

function attribute(gadget: Gadget, name: string): Promise<string> {
  return a.ok(`cat /sys/bus/usb/devices/${gadget.busid}/${name}`);
}

describe('stock usbip', () => {
  it('carries a disk from a to b unchanged, and leaves nothing behind', async () => {
    const before = await Promise.all([takeInventory(a), takeInventory(b)]);
    await a.ok('head -c 64M /dev/urandom >/run/medium');
    const hash = (await a.ok('sha256sum </run/medium')).split(' ')[0];
    const disk = await plug({ name: 'DISK', kind: 'storage', udc: 0, file: '/run/medium' });
    expect(await waitFor('the disk is usable on a', () => disk.deviceNode())).toMatch(/^\/dev\/sd[a-z]$/);
    await a.ok(`usbipd -D; usbip bind -b ${disk.busid}`);
    await waitFor('the export is free', async () => (await attribute(disk, 'usbip_status')) === '1');
    await b.ok(bindImports);
    const start = performance.now();
    await b.ok(`usbip attach -r ${a.address} -b ${disk.busid}`);
    const device = await waitFor('the disk appears on b', () => b.ok(importedDisk), { interval: 20 });
    const attached = performance.now();
    const read = (await b.ok(`dd if=${device} bs=1M iflag=direct status=none | sha256sum`)).split(' ')[0];
    const rate = 64 / ((performance.now() - attached) / 1000);
    console.log(`attached in ${((attached - start) / 1000).toFixed(2)} s, read at ${rate.toFixed(0)} MB/s`);
    expect(read).toBe(hash);
    expect((await takeInventory(b)).ports).toHaveLength(1);

    await b.ok("usbip detach -p $(usbip port 2>/dev/null | sed -n 's/^Port \\([0-9]*\\):.*/\\1/p')");
    await a.ok(`pkill -x usbipd; usbip unbind -b ${disk.busid}; rm /run/medium`);
    await plugged.pop()?.remove();
    await waitFor('nothing is left', async () => {
      const left = [
        ...compareInventories(before[0], await takeInventory(a)),
        ...compareInventories(before[1], await takeInventory(b)),
      ];
      if (left.length > 0) throw new Error(left.join('; '));
      return true;
    });
  });
});

describe('an emulated device', () => {
  it.each([
    ['super', '5000'],
    ['high', '480'],
    ['full', '12'],
    ['low', '1.5'],
  ] as const)('can be of %s speed', async (speed, mbits) => {
    const keyboard = await plug({ name: `KBD-${speed}`, kind: 'hid', udc: 1, speed });
    expect(await attribute(keyboard, 'speed')).toBe(mbits);
  });

  it('can have a serial of 200 bytes, of control characters, or none', async () => {
    const long = `${'€'.repeat(66)}ab`;
    const one = await plug({ name: 'LONG', kind: 'hid', udc: 1, serial: long });
    const two = await plug({ name: 'CONTROL', kind: 'hid', udc: 2, serial: '\x1b[31m\tA\x7f' });
    const three = await plug({ name: 'NONE', kind: 'hid', udc: 3, serial: null });
    expect(Buffer.byteLength(long)).toBe(200);
    expect(await attribute(one, 'serial')).toBe(long);
    expect(await attribute(two, 'serial')).toBe('\x1b[31m\tA\x7f');
    expect((await a.sh(`cat /sys/bus/usb/devices/${three.busid}/serial`)).code).toBe(1);
  });

  it('refuses a serial that is not UTF-8, so that there is none', async () => {
    const bad = await plug({ name: 'BAD', kind: 'hid', udc: 1, serial: Buffer.from([0x41, 0xff, 0xfe]) });
    expect((await a.sh(`cat /sys/bus/usb/devices/${bad.busid}/serial`)).code).toBe(1);
    expect(await attribute(bad, 'product')).toBe('Lab hid');
  });

  it('can have a twin, be pulled out, and be moved to another socket', async () => {
    const one = await plug({ name: 'TWIN-1', kind: 'acm', udc: 4, serial: 'TWIN' });
    const two = await plug({ name: 'TWIN-2', kind: 'acm', udc: 5, serial: 'TWIN' });
    expect(await attribute(one, 'serial')).toBe(await attribute(two, 'serial'));
    const first = one.busid;
    await one.unplug();
    expect(() => one.busid).toThrow(/not plugged in/);
    expect(await one.move(6)).not.toBe(first);
  });

  it('passes what a keyboard sends and what a modem sends', async () => {
    const keyboard = await plug({ name: 'KEYS', kind: 'hid', udc: 1 });
    const modem = await plug({ name: 'MODEM', kind: 'acm', udc: 2 });
    const [hidraw, tty] = [await keyboard.deviceNode(), await modem.deviceNode()];
    expect([hidraw, tty]).toEqual([expect.stringMatching(/hidraw/), expect.stringMatching(/ttyACM/)]);
    const report = await a.ok(`
      timeout 5 head -c 8 ${hidraw} | od -An -tx1 >/run/report & sleep 0.3
      printf '\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00' >${await keyboard.ownEnd()}; wait; cat /run/report
    `);
    expect(report.trim()).toBe('00 00 04 00 00 00 00 00');
    const line = await a.ok(`
      stty -F ${tty} raw -echo; stty -F ${await modem.ownEnd()} raw -echo
      timeout 5 head -n 1 ${tty} >/run/line & sleep 0.3
      echo hello >${await modem.ownEnd()}; wait; cat /run/line
    `);
    expect(line).toBe('hello');
  });
});
