// From an administrator's decision to a device in a pod, through everything that happens to devices, nodes and
// namespaces in between.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import { BUSYBOX_IMAGE } from '../artefacts/images.ts';
import type { Cluster } from '../cluster.ts';
import { Gadget } from '../gadget.ts';
import type { GadgetSpec } from '../gadget-plan.ts';
import type { LabNode } from '../node.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { listed } from '../usb/agents.ts';
import { waitFor } from '../wait.ts';
import { conditions, controllersOn, killLeader, leader } from './controllers.ts';

const TEAM = 'team-usb';
let cluster: Cluster;
let a: LabNode;
const plugged: Gadget[] = [];

beforeAll(async () => {
  cluster = await sharedCluster();
  a = cluster.node('a');
  await controllersOn(cluster);
});

afterEach(async () => {
  for (const gadget of plugged.splice(0)) await gadget.remove();
  await cluster.kubectl('delete', 'nodeusbdevices', '--all', '--timeout=60s');
  await cluster.kubectl('delete', 'namespace', TEAM, '--ignore-not-found', '--timeout=90s');
});

afterAll(async () => {
  await cluster?.kubectl('delete', 'nodeusbdevices', '--all', '--timeout=60s');
});

async function plug(
  spec: Partial<GadgetSpec> & { name: string; udc: number; serial?: string },
): Promise<string> {
  const gadget = await Gadget.plug(a, { kind: 'acm', serial: spec.name, ...spec });
  plugged.push(gadget);
  return (await listed(cluster, 'a', spec.serial ?? spec.name)).name;
}

async function assign(device: string, namespace: string): Promise<void> {
  await waitFor(`${device} is known`, () => cluster.kubectl('get', 'nodeusbdevice', device));
  const patch = JSON.stringify({ spec: { assignedNamespace: namespace } });
  await cluster.kubectl('patch', 'nodeusbdevice', device, '--type=merge', '-p', patch);
}

const makeTeam = () => cluster.kubectl('create', 'namespace', TEAM);

/** `kind/name` of everything that an assignment makes in a namespace. */
async function made(namespace = TEAM): Promise<string[]> {
  const out = await cluster.kubectl(
    'get',
    'usbdevices,resourceclaimtemplates',
    '-n',
    namespace,
    '-o',
    'name',
  );
  return out
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

const whatIsMadeFor = (device: string) => [
  `resourceclaimtemplate.resource.k8s.io/${device}-template`,
  `usbdevice.virtualization.deckhouse.io/${device}`,
];

async function assignedTo(device: string): Promise<string> {
  const { spec } = await cluster.get<NodeUsbDevice>('nodeusbdevice', device);
  return spec.assignedNamespace ?? '';
}

const READY = { Ready: 'True/Ready', Assigned: 'True/Assigned' };

/** A pod as its owner writes it: only the template's name. */
function pod(device: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'user', namespace: TEAM },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': 'b' },
      terminationGracePeriodSeconds: 1,
      resourceClaims: [{ name: 'usb', resourceClaimTemplateName: `${device}-template` }],
      containers: [
        {
          name: 'main',
          image: BUSYBOX_IMAGE,
          imagePullPolicy: 'Never',
          command: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 1 & wait; done'],
          resources: { claims: [{ name: 'usb' }] },
        },
      ],
    },
  };
}

describe('an assigned device', () => {
  it('can be used by a pod of the namespace on another node, through the template', async () => {
    await makeTeam();
    const device = await plug({ name: 'USED', udc: 1 });
    await assign(device, TEAM);
    await conditions(cluster, device, READY);
    expect(await made()).toEqual(whatIsMadeFor(device));
    await cluster.apply([pod(device)]);
    await cluster.kubectl('wait', '-n', TEAM, 'pod/user', '--for=condition=Ready', '--timeout=60s');
    const nodes = await cluster.kubectl('exec', '-n', TEAM, 'user', '--', 'sh', '-c', 'ls /dev/bus/usb/*/*');
    expect(nodes.trim().split('\n')).toHaveLength(1);
    await cluster.kubectl('delete', 'pod', '-n', TEAM, 'user', '--timeout=60s');
  });

  it('is taken away again, with all that was made for it', async () => {
    await makeTeam();
    const device = await plug({ name: 'BACK', udc: 1 });
    await assign(device, TEAM);
    await conditions(cluster, device, READY);
    await assign(device, '');
    await conditions(cluster, device, { Ready: 'True/Ready', Assigned: 'False/Available' });
    await waitFor('nothing is left', async () => (await made()).length === 0);
  });

  it('keeps its assignment when it is pulled out and plugged into another port', async () => {
    await makeTeam();
    const device = await plug({ name: 'MOVED', udc: 1 });
    await assign(device, TEAM);
    await conditions(cluster, device, READY);
    await plugged[0]?.unplug();
    await conditions(cluster, device, { Ready: 'False/NotFound' });
    expect(await assignedTo(device)).toBe(TEAM);
    await plugged[0]?.move(2);
    await conditions(cluster, device, READY);
    await waitFor('it is whole again', async () => (await made()).join() === whatIsMadeFor(device).join());
  });

  it('is not the other device that comes into its port, nor its twin', async () => {
    await makeTeam();
    const device = await plug({ name: 'FIRST', udc: 1 });
    await assign(device, TEAM);
    await conditions(cluster, device, READY);
    const twin = await Gadget.plug(a, { name: 'TWIN', kind: 'acm', udc: 2, serial: 'FIRST' });
    plugged.push(twin);
    await plugged[0]?.remove();
    plugged.shift();
    const other = await plug({ name: 'OTHER', udc: 1 });
    await conditions(cluster, device, { Ready: 'False/NotFound' });
    await conditions(cluster, other, { Ready: 'True/Ready', Assigned: 'False/Available' });
    expect([await assignedTo(device), await assignedTo(other)]).toEqual([TEAM, '']);
    expect((await made()).filter((name) => name.includes(other))).toEqual([]);
  });

  it('outlives its namespace, and is there again when that is made again', async () => {
    await makeTeam();
    const device = await plug({ name: 'HOME', udc: 1 });
    await assign(device, TEAM);
    await conditions(cluster, device, READY);
    await cluster.kubectl('delete', 'namespace', TEAM, '--timeout=90s');
    await conditions(cluster, device, { Assigned: 'False/Available' });
    expect(await assignedTo(device)).toBe(TEAM);
    await makeTeam();
    await conditions(cluster, device, READY);
    await waitFor('it is whole again', async () => (await made()).join() === whatIsMadeFor(device).join());
  });
});

describe('a node', () => {
  it('without power makes its devices not ready, and they keep their assignment until it is back', async () => {
    await makeTeam();
    const spec = { name: 'DARK', kind: 'acm', udc: 1, serial: 'DARK' } as const;
    const device = await plug(spec);
    await assign(device, TEAM);
    await conditions(cluster, device, READY);
    const begin = performance.now();
    await a.powerLoss();
    plugged.splice(0);
    await conditions(cluster, device, { Ready: 'False/NodeNotReady' }, 120_000);
    console.log(`NodeNotReady ${((performance.now() - begin) / 1_000).toFixed(1)} s after the power went`);
    await cluster.boot(a);
    await controllersOn(cluster);
    await plug(spec);
    await conditions(cluster, device, READY, 120_000);
    expect(await assignedTo(device)).toBe(TEAM);
  }, 400_000);
});

describe('the controller', () => {
  it('is replaced by the other replica when it is killed', async () => {
    const before = await leader(cluster);
    const begin = performance.now();
    await killLeader(cluster);
    await waitFor(
      'another one leads',
      async () => {
        const now = await leader(cluster);
        return now !== '' && now !== before;
      },
      { timeout: 60_000 },
    );
    console.log(`another leader after ${((performance.now() - begin) / 1_000).toFixed(1)} s`);
    await controllersOn(cluster);
  });

  it('killed at any point comes to the same end, and loses and doubles nothing', async () => {
    const rounds = process.env.LAB_SOAK ? 100 : 10;
    await makeTeam();
    const device = await plug({ name: 'CHAOS', udc: 1 });
    for (let round = 0; round < rounds; round++) {
      const target = round % 2 === 0 ? TEAM : '';
      await assign(device, target);
      // Somewhere between the first write and the last.
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 300));
      await signalController('KILL');
    }
    await assign(device, TEAM);
    await conditions(cluster, device, READY, 90_000);
    await waitFor('it is whole', async () => (await made()).join() === whatIsMadeFor(device).join());
    expect(await assignedTo(device)).toBe(TEAM);
  }, 1_800_000);
});

/** Ends the process of every controller of the nodes; the kubelets start them again. */
async function signalController(signal: string): Promise<void> {
  for (const node of cluster.nodes) await node.sh(`pkill -${signal} -f 'main[.]mjs usb-controller'`);
}
