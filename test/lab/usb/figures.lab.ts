// How long things take, as the parts involved see it: ten runs each, printed as p50 and p95.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsbNodeStatus } from '../../../proto/api/gen/usb-node-status.ts';
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

interface Call {
  readonly milliseconds: number;
  readonly steps: Record<string, number>;
}

/** What the driver on a node logged of its calls for a claim, by verb. */
async function loggedCalls(node: string, claim: string): Promise<Record<string, Call[]>> {
  const calls: Record<string, Call[]> = {};
  for (const line of (await agentLog(cluster, cluster.node(node), 2_000)).split('\n')) {
    const [, verb = '', name] = /"(preparing|unpreparing) claim default\/([^:"]+): done"/.exec(line) ?? [];
    if (name === claim) calls[verb] = [...(calls[verb] ?? []), JSON.parse(line) as Call];
  }
  return calls;
}

describe.each([
  ['local', 'a', 'driver'],
  ['remote', 'b', 'driver'],
  ['remote', 'b', 'usbfs'],
] as const)('a %s claim on %s in mode %s', (place, node, mode) => {
  it('is prepared and its pod runs', async () => {
    await disk.plug();
    const { name: device } = await listed(cluster, 'a', 'TIMED1');
    await offered(cluster, device);
    const claim = `timed-${place}-${mode}`;
    const runningAfter: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const pod = { name: claim, node, device, mode };
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
    const { preparing = [], unpreparing = [] } = await loggedCalls(node, claim);
    const what = `${place}, mode ${mode}`;
    console.log(
      summary(
        `Prepare ${what}`,
        preparing.map(({ milliseconds }) => milliseconds),
      ),
    );
    console.log(`  of that, p50: ${stepSummary(preparing)}`);
    console.log(
      summary(
        `Unprepare ${what}`,
        unpreparing.map(({ milliseconds }) => milliseconds),
      ),
    );
    console.log(summary(`pod created -> Running, ${what}`, runningAfter));
    expect([preparing.length, unpreparing.length]).toEqual([RUNS, RUNS]);
    await disk.unplug();
    await waitFor('no device is left in the list', async () => (await devicesOf(cluster, 'a')).length === 0);
  }, 600_000);
});

/** `claim 8 ms, locate 13 ms, ...`: some steps run side by side, and some are part of others. */
function stepSummary(calls: readonly Call[]): string {
  const names = [...new Set(calls.flatMap(({ steps }) => Object.keys(steps)))];
  return names
    .map(
      (name) =>
        `${name} ${quantile(
          calls.map(({ steps }) => steps[name] ?? 0),
          0.5,
        )} ms`,
    )
    .join(', ');
}

interface Pod {
  metadata: { name: string };
  status?: { containerStatuses?: { state: { running?: object } }[] };
}

async function isRunning(name: string): Promise<boolean> {
  const { status } = await api.get<Pod>(RESOURCE_TYPES.pods, { namespace: 'default', name });
  return status?.containerStatuses?.every(({ state }) => state.running !== undefined) ?? false;
}
