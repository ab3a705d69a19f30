// Devices as people see them: listed within a second, known again wherever they are plugged, never taken from the node.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { UsbDeviceStatus } from '../../../proto/api/gen/usb-node-status.ts';
import type { Cluster } from '../cluster.ts';
import { Gadget } from '../gadget.ts';
import type { GadgetSpec } from '../gadget-plan.ts';
import type { LabNode } from '../node.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { waitFor } from '../wait.ts';
import { agentsOn, devicesOf, listed, offered } from './agents.ts';
import { deleteClaimPod, runClaimPod } from './claims.ts';
import { listRows, virt } from './person.ts';

let cluster: Cluster;
let a: LabNode;
const plugged: Gadget[] = [];

beforeAll(async () => {
  cluster = await sharedCluster();
  a = cluster.node('a');
  await agentsOn(cluster);
  await a.ok('[ -s /run/small ] || head -c 8M /dev/urandom >/run/small');
});

afterEach(async () => {
  for (const gadget of plugged.splice(0)) await gadget.remove();
  await waitFor('no device is left in the list', async () => (await devicesOf(cluster, 'a')).length === 0);
});

async function make(spec: GadgetSpec): Promise<Gadget> {
  const gadget = await Gadget.make(a, spec);
  plugged.push(gadget);
  return gadget;
}

async function plug(spec: GadgetSpec): Promise<Gadget> {
  const gadget = await make(spec);
  await gadget.plug();
  return gadget;
}

/** The one device on a that is called so by its product. */
async function byProduct(product: string): Promise<UsbDeviceStatus> {
  return waitFor(
    `${product} is listed`,
    async () => (await devicesOf(cluster, 'a')).find((device) => device.product === product),
    { interval: 50 },
  );
}

function disk(name: string, udc: number, more: Partial<GadgetSpec> = {}): GadgetSpec {
  return { name, kind: 'storage', udc, file: '/run/small', ...more };
}

describe('kubectl virt usb list', () => {
  it('shows a disk that was plugged in, and no longer one that was pulled out', async () => {
    const stick = await plug(disk('STICK', 0, { serial: 'STICK01' }));
    const row = await waitFor('the disk is in the table', async () =>
      (await listRows(cluster)).find(({ SERIAL }) => SERIAL === 'STICK01'),
    );
    expect(row).toMatchObject({ NODE: 'a', ID: '46f4:0001', PRODUCT: 'Lab storage', STATE: 'Available' });
    const { code, out } = await virt(cluster, 'usb', 'show', 'STICK01');
    expect(code).toBe(0);
    expect(out).toContain('46f4:0001:STICK01');
    await stick.unplug();
    await waitFor('the disk is gone from the table', async () => (await listRows(cluster)).length === 0);
  });
});

describe('an identity', () => {
  it('is vendor, product and serial where there is a serial, else vendor, product and port', async () => {
    await plug(disk('SERIAL', 0, { serial: 'S-1' }));
    await plug({ name: 'NOSERIAL', kind: 'hid', udc: 1, serial: null, product: 'Bare' });
    expect(await listed(cluster, 'a', 'S-1')).toMatchObject({
      identity: '46f4:0001:S-1',
      identityForm: 'serial',
    });
    const bare = await byProduct('Bare');
    expect(bare).toMatchObject({ identityForm: 'port', identity: '0627:0001@dummy_hcd.1-1' });
    expect(bare.serial).toBeUndefined();
  });

  it('survives strings with control characters, with 200 bytes, and that are not UTF-8', async () => {
    const long = `${'€'.repeat(66)}ab`;
    await plug({ name: 'LONG', kind: 'hid', udc: 1, product: 'Long', serial: long });
    await plug({ name: 'CONTROL', kind: 'hid', udc: 2, product: 'Control', serial: '\x1b[31m\tA\x7f' });
    await plug({ name: 'BAD', kind: 'hid', udc: 3, product: 'Bad', serial: Buffer.from([0x41, 0xff, 0xfe]) });
    expect(await byProduct('Long')).toMatchObject({ serial: long, identity: `0627:0001:${long}` });
    const control = await byProduct('Control');
    expect(control.identityForm).toBe('serial');
    expect(control.serial).not.toMatch(/[\x00-\x1f\x7f]/);
    expect(await byProduct('Bad')).toMatchObject({ identityForm: 'port' });
    const { out } = await virt(cluster, 'usb', 'list', '-o', 'wide');
    expect(out).not.toContain('\x1b');
  });

  it('of a low-speed device is listed with 1.5 Mb/s', async () => {
    await plug({ name: 'SLOW', kind: 'hid', udc: 1, speed: 'low', serial: 'SLOW1' });
    expect((await listed(cluster, 'a', 'SLOW1')).speed).toBe(1.5);
  });

  it('goes to the first of two twins, and the second gets its port', async () => {
    await plug({ name: 'TWIN-1', kind: 'acm', udc: 4, serial: 'TWIN', product: 'First' });
    const first = await byProduct('First');
    await plug({ name: 'TWIN-2', kind: 'acm', udc: 5, serial: 'TWIN', product: 'Second' });
    const second = await byProduct('Second');
    expect(first).toMatchObject({ identity: '0525:a4a7:TWIN' });
    expect(second).toMatchObject({ identity: '0525:a4a7@dummy_hcd.5-1', duplicateSerial: true });
    expect((await byProduct('First')).name).toBe(first.name);
  });

  it('of a device in use is never taken by a twin', async () => {
    await plug({ name: 'HELD', kind: 'acm', udc: 4, serial: 'TWIN', product: 'Held' });
    const held = await byProduct('Held');
    await offered(cluster, held.name);
    await runClaimPod(cluster, { name: 'holder', node: 'b', device: held.name });
    const twin = await plug({ name: 'LATE', kind: 'acm', udc: 5, serial: 'TWIN', product: 'Late' });
    expect((await byProduct('Late')).name).not.toBe(held.name);
    expect((await byProduct('Held')).name).toBe(held.name);
    await twin.move(6);
    expect((await byProduct('Late')).name).not.toBe(held.name);
    expect((await byProduct('Held')).name).toBe(held.name);
    await deleteClaimPod(cluster, 'holder');
  });

  it('stays with the device in another port and from SuperSpeed to high speed', async () => {
    const stick = await plug(disk('MOVE', 0, { serial: 'MOVE1' }));
    const before = await listed(cluster, 'a', 'MOVE1');
    await stick.move(2);
    const moved = await waitFor('it is listed in the other port', async () =>
      (await devicesOf(cluster, 'a')).find(({ serial, port }) => serial === 'MOVE1' && port !== before.port),
    );
    await stick.unplug();
    await a.ok('echo high-speed >/sys/kernel/config/usb_gadget/MOVE/max_speed');
    await stick.plug();
    const slower = await waitFor('it is listed with the other speed', async () =>
      (await devicesOf(cluster, 'a')).find(({ serial, speed }) => serial === 'MOVE1' && speed === 480),
    );
    expect(before.speed).toBe(5000);
    for (const after of [moved, slower]) {
      expect([after.name, after.fingerprint]).toEqual([before.name, before.fingerprint]);
    }
  });
});

describe('a device that its node uses', () => {
  it('is blocked while its disk is mounted, with the reason, and offered again after', async () => {
    await plug(disk('MOUNTED', 0, { serial: 'MOUNT1' }));
    const device = await listed(cluster, 'a', 'MOUNT1');
    await offered(cluster, device.name);
    const node = await waitFor('the disk is there', () => a.ok('ls /dev/sd?'));
    await a.ok(`mkfs.ext4 -q -F ${node}; mkdir -p /run/mnt; mount ${node} /run/mnt`);
    const verdict = (wanted: string) =>
      waitFor(`it is ${wanted}`, async () =>
        (await devicesOf(cluster, 'a')).find((d) => d.serial === 'MOUNT1' && d.verdict === wanted),
      );
    const blocked = await verdict('Blocked');
    expect(blocked.rule).toBe('built-in/in-use-by-node');
    expect(blocked.reason).toContain('/run/mnt');
    const rows = await listRows(cluster);
    expect(rows.find(({ SERIAL }) => SERIAL === 'MOUNT1')).toMatchObject({ STATE: 'Blocked' });
    await a.ok('umount /run/mnt');
    expect((await verdict('Offered')).name).toBe(device.name);
  });
});
