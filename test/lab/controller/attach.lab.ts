// From a person's words to a device in a virtual machine, and back: the real kubectl, API server and controller.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import type { KubeClient } from '../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import type { Cluster } from '../cluster.ts';
import { Gadget } from '../gadget.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { listed } from '../usb/agents.ts';
import { apiOf } from '../usb/api.ts';
import { virt } from '../usb/person.ts';
import { waitFor } from '../wait.ts';
import { controllersOn } from './controllers.ts';
import { makeVm, playVmController } from './virtual-machines.ts';

const TEAM = 'team-vm';
const OTHER = 'team-other';

let cluster: Cluster;
let client: KubeClient;
let gadget: Gadget;
let device: string;
let actor: { stop(): Promise<void> };

beforeAll(async () => {
  cluster = await sharedCluster();
  await controllersOn(cluster);
  client = await apiOf(cluster);
  for (const namespace of [TEAM, OTHER]) await cluster.kubectl('create', 'namespace', namespace);
  for (const name of ['web', 'db', 'deaf']) await makeVm(client, TEAM, name);
  await makeVm(client, OTHER, 'web');
  actor = playVmController(client, TEAM, 'deaf');
  gadget = await Gadget.plug(cluster.node('a'), { name: 'TOKEN', kind: 'acm', udc: 1, serial: 'TOKEN-77' });
  device = (await listed(cluster, 'a', 'TOKEN-77')).name;
  await waitFor('the controller knows it', () => cluster.kubectl('get', 'nodeusbdevice', device));
});

afterAll(async () => {
  await actor?.stop();
  await gadget?.remove();
  await cluster?.kubectl('delete', 'namespace', TEAM, OTHER, '--timeout=90s');
  await cluster?.kubectl('delete', 'nodeusbdevices', '--all', '--timeout=60s');
  client?.close();
});

async function usb(...args: string[]) {
  const begin = performance.now();
  const result = await virt(cluster, 'usb', ...args);
  return { ...result, seconds: (performance.now() - begin) / 1_000 };
}

async function devicesOfVm(name: string): Promise<string[]> {
  const vm = await client.get<VirtualMachine>(RESOURCE_TYPES.virtualMachines, { namespace: TEAM, name });
  return (vm.spec?.usbDevices ?? []).map((each) => each.name);
}

describe('usb attach', () => {
  it('of a device that nobody has says how to assign it, and changes nothing', async () => {
    const { code, err } = await usb('attach', 'TOKEN-77', `web.${TEAM}`);
    expect([code, err]).toEqual([2, expect.stringContaining('--assign')]);
    expect(await devicesOfVm('web')).toEqual([]);
  });

  it('shows its steps without doing them', async () => {
    const { code, out } = await usb('attach', 'TOKEN-77', `web.${TEAM}`, '--assign', '--dry-run=client');
    expect(code).toBe(0);
    expect(out).toContain(TEAM);
    expect(await devicesOfVm('web')).toEqual([]);
  });

  it('takes a device by its serial number into a machine', async () => {
    const { code, out, err, seconds } = await usb('attach', 'TOKEN-77', `web.${TEAM}`, '--assign', '--yes');
    expect([code, err]).toEqual([0, expect.any(String)]);
    console.log(`unassigned device -> attached in ${seconds.toFixed(1)} s\n${err}${out}`);
    expect(await devicesOfVm('web')).toEqual([device]);
    const told = async () => {
      const { status } = await client.get<UsbDevice>(RESOURCE_TYPES.usbDevices, {
        namespace: TEAM,
        name: device,
      });
      return status?.conditions?.find(({ type }) => type === 'Attached')?.reason;
    };
    await waitFor('the USBDevice tells', async () => (await told()) === 'AttachedToVirtualMachine');
    const list = await usb('list', '--no-headers');
    expect(list.out).toContain(`vm/web.${TEAM}`);
  });

  it('again says that it is attached, and is no failure', async () => {
    expect((await usb('attach', 'TOKEN-77', `web.${TEAM}`)).code).toBe(0);
    expect(await devicesOfVm('web')).toEqual([device]);
  });

  it('to another machine names the one that has it', async () => {
    const { code, err } = await usb('attach', 'TOKEN-77', `db.${TEAM}`, '--yes');
    expect([code, err]).toEqual([6, expect.stringContaining('web')]);
    expect(await devicesOfVm('db')).toEqual([]);
  });

  it('to a machine of another namespace names the one that has the device', async () => {
    const { code, err } = await usb('attach', 'TOKEN-77', `web.${OTHER}`, '--yes');
    expect([code, err]).toEqual([6, expect.stringContaining(TEAM)]);
  });

  it('to a machine that does not exist says so', async () => {
    expect((await usb('attach', 'TOKEN-77', `wed.${TEAM}`)).code).toBe(3);
  });
});

describe('usb detach', () => {
  it('finds the machine, and leaves the device to its namespace', async () => {
    const { code, seconds } = await usb('detach', 'TOKEN-77', '--yes');
    expect(code).toBe(0);
    console.log(`detached in ${seconds.toFixed(1)} s`);
    expect(await devicesOfVm('web')).toEqual([]);
    const again = await usb('attach', 'TOKEN-77', `db.${TEAM}`);
    expect(again.code).toBe(0);
    expect((await usb('detach', 'TOKEN-77', `db.${TEAM}`, '--yes')).code).toBe(0);
  });
});

describe('a machine whose controller does not answer', () => {
  it('is waited for as long as the person said, with the last state and what stays', async () => {
    const { code, err } = await usb('attach', 'TOKEN-77', `deaf.${TEAM}`, '--timeout', '2s');
    expect([code, err]).toEqual([5, expect.stringContaining('undo it with')]);
    expect(await devicesOfVm('deaf')).toEqual([device]);
    await usb('detach', 'TOKEN-77', `deaf.${TEAM}`, '--yes', '--wait=false');
    expect(await devicesOfVm('deaf')).toEqual([]);
  });
});
