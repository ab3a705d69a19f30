// How long things take, as the parts involved see it: ten runs each, printed as p50 and p95.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsbNodeStatus } from '../../../proto/api/usb-node-status.ts';
import type { KubeClient } from '../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import type { Cluster } from '../cluster.ts';
import { Gadget } from '../gadget.ts';
import { plugScript, unplugScript } from '../gadget-plan.ts';
import type { LabNode } from '../node.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { waitFor } from '../wait.ts';
import { agentLog, agentsOn, devicesOf, listed, offered } from './agents.ts';
import { apiOf } from './api.ts';
import { claimManifest, deleteClaimPod, podManifest } from './claims.ts';
import { quantile, summary } from './timing.ts';

const RUNS = 10;
let cluster: Cluster;
let api: KubeClient;
let a: LabNode;
let disk: Gadget;

beforeAll(async () => {
  cluster = await sharedCluster();
  a = cluster.node('a');
  await agentsOn(cluster);
  api = await apiOf(cluster);
  await a.ok('[ -s /run/small ] || head -c 8M /dev/urandom >/run/small');
  disk = await Gadget.make(a, {
    name: 'TIMED',
    kind: 'storage',
    udc: 0,
    file: '/run/small',
    serial: 'TIMED1',
  });
});

afterAll(async () => {
  await disk?.remove();
  api?.close();
});

async function isListed(): Promise<boolean> {
  const { status } = await api.get<UsbNodeStatus>(RESOURCE_TYPES.usbNodeStatuses, { name: 'a' });
  return status?.devices.some(({ serial }) => serial === 'TIMED1') ?? false;
}

/** Milliseconds from the moment at which the kernel acts until the API shows it. */
async function timeUntil(present: boolean, script: string): Promise<number> {
  await a.ok(script);
  const begin = performance.now();
  await waitFor('the API shows it', async () => (await isListed()) === present, { interval: 2 });
  return performance.now() - begin;
}

describe('a plug', () => {
  it('is listed, and an unplug unlisted, within a second', async () => {
    const listedAfter: number[] = [];
    const goneAfter: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      listedAfter.push(await timeUntil(true, plugScript('TIMED', 0)));
      goneAfter.push(await timeUntil(false, unplugScript('TIMED')));
    }
    console.log(summary('plug -> listed', listedAfter));
    console.log(summary('unplug -> gone', goneAfter));
    expect(quantile(listedAfter, 0.5)).toBeLessThan(1_000);
    expect(quantile(goneAfter, 0.5)).toBeLessThan(1_000);
  });
});

/** What the driver on a node logged of its calls for the claims of this file: milliseconds by verb. */
async function loggedTimes(node: string, claim: string): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  for (const line of (await agentLog(cluster, cluster.node(node), 2_000)).split('\n')) {
    const [, verb = '', name] = /"(preparing|unpreparing) claim default\/([^:"]+): done"/.exec(line) ?? [];
    if (name !== claim) continue;
    const { milliseconds } = JSON.parse(line) as { milliseconds: number };
    times[verb] = [...(times[verb] ?? []), milliseconds];
  }
  return times;
}

describe.each([
  ['local', 'a'],
  ['remote', 'b'],
])('a %s claim', (place, node) => {
  it('is prepared and its pod runs', async () => {
    await disk.plug();
    const { name: device } = await listed(cluster, 'a', 'TIMED1');
    await offered(cluster, device);
    const claim = `timed-${place}`;
    const runningAfter: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const pod = { name: claim, node, device };
      await cluster.apply([claimManifest(pod)]);
      const begin = performance.now();
      await cluster.apply([podManifest(pod)]);
      await waitFor('the pod runs', () => isRunning(claim), { interval: 5, timeout: 60_000 }).catch(
        async (error: unknown) => {
          console.log(await agentLog(cluster, cluster.node(node)));
          throw error;
        },
      );
      runningAfter.push(performance.now() - begin);
      await deleteClaimPod(cluster, claim);
    }
    const { preparing = [], unpreparing = [] } = await loggedTimes(node, claim);
    console.log(summary(`Prepare ${place}`, preparing));
    console.log(summary(`Unprepare ${place}`, unpreparing));
    console.log(summary(`pod created -> Running, ${place}`, runningAfter));
    expect([preparing.length, unpreparing.length]).toEqual([RUNS, RUNS]);
    await disk.unplug();
    await waitFor('no device is left in the list', async () => (await devicesOf(cluster, 'a')).length === 0);
  }, 600_000);
});

interface Pod {
  metadata: { name: string };
  status?: { containerStatuses?: { state: { running?: object } }[] };
}

async function isRunning(name: string): Promise<boolean> {
  const { status } = await api.get<Pod>(RESOURCE_TYPES.pods, { namespace: 'default', name });
  return status?.containerStatuses?.every(({ state }) => state.running !== undefined) ?? false;
}
