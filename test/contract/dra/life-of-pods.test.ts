// Stories of a node, told as the kubelet lives them: restarts, rolling updates, reboots, forced deletions.
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeletPlugin, socketPaths } from '../../../node/dra/kubelet-plugin.ts';
import type { ObjectRef } from '../../../proto/api/gen/usb-node-status.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import {
  DRAPluginClient,
  type NodePrepareResourcesResponse,
  type NodeUnprepareResourcesResponse,
} from '../../../proto/kubelet/gen/dra-v1.ts';
import { type PluginInfo, RegistrationClient } from '../../../proto/kubelet/gen/registration.ts';
import { DriverBench, NOTHING, quietLog } from '../../support/dra/driver-bench.ts';
import { claimObject, ref } from '../../support/dra/objects.ts';

let bench: DriverBench;
let agents: KubeletPlugin[];
let clients: { close(): void }[];
let folders: { pluginsDir: string; registryDir: string };

beforeEach(() => {
  bench = new DriverBench();
  agents = [];
  clients = [];
  folders = { pluginsDir: join(bench.folder, 'plugins'), registryDir: join(bench.folder, 'registry') };
});
afterEach(async () => {
  for (const client of clients) client.close();
  await Promise.all(agents.map((agent) => agent.close()));
  bench.dispose();
});

type StartOptions = Parameters<DriverBench['start']>[0];

async function agentStarts(options: StartOptions = {}, podUid?: string): Promise<KubeletPlugin> {
  const { driver } = bench.start(options);
  const unique = podUid === undefined ? {} : { podUid };
  const agent = await KubeletPlugin.start({ driver, ...folders, log: quietLog, ...unique });
  agents.push(agent);
  return agent;
}

async function agentStops(agent: KubeletPlugin): Promise<void> {
  for (const client of clients.splice(0)) client.close();
  await agent.close();
  agents = agents.filter((other) => other !== agent);
}

/** Finds the driver as the kubelet does: through the registrar. */
async function kubelet(podUid?: string) {
  const { registrar } = socketPaths(folders.pluginsDir, folders.registryDir, podUid);
  const registration = new RegistrationClient(`unix:${registrar}`, credentials.createInsecure());
  const info = await new Promise<PluginInfo>((resolve, reject) =>
    registration.getInfo({}, (error, response) => (error ? reject(error) : resolve(response))),
  );
  const dra = new DRAPluginClient(`unix:${info.endpoint}`, credentials.createInsecure());
  clients.push(registration, dra);
  return {
    /** The error text of the claim; empty for success. */
    prepare: (claim: ObjectRef) =>
      new Promise<string | undefined>((resolve, reject) =>
        dra.nodePrepareResources({ claims: [claim] }, (error, response: NodePrepareResourcesResponse) =>
          error ? reject(error) : resolve(response.claims[claim.uid]?.error),
        ),
      ),
    unprepare: (claim: ObjectRef) =>
      new Promise<string | undefined>((resolve, reject) =>
        dra.nodeUnprepareResources({ claims: [claim] }, (error, response: NodeUnprepareResourcesResponse) =>
          error ? reject(error) : resolve(response.claims[claim.uid]?.error),
        ),
      ),
  };
}

function podWithClaim(name: string): ObjectRef {
  const claim = ref(name);
  bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(claim, [{ pool: 'a', device: 'usb-far' }]));
  return claim;
}

describe('a pod', () => {
  it('keeps its device over a restart of the agent, and another gets it afterwards', async () => {
    const first = podWithClaim('first');
    const second = podWithClaim('second');
    const agent = await agentStarts();
    expect(await (await kubelet()).prepare(first)).toBe('');
    await agentStops(agent);
    await agentStarts();
    const node = await kubelet();
    expect(await node.prepare(first)).toBe('');
    expect(await node.prepare(second)).toContain('default/first');
    expect(await node.unprepare(first)).toBe('');
    expect(await node.prepare(second)).toBe('');
    expect(await node.unprepare(second)).toBe('');
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('is served by either instance of a rolling update', async () => {
    const claim = podWithClaim('rolling');
    const late = podWithClaim('late');
    const old = await agentStarts({}, 'old');
    await agentStarts({}, 'new');
    const [oldest, newest] = [await kubelet('old'), await kubelet('new')];
    expect(await oldest.prepare(claim)).toBe('');
    expect(await newest.prepare(claim)).toBe('');
    expect(await newest.prepare(late)).toContain('default/rolling');
    await agentStops(old);
    const remaining = await kubelet('new');
    expect(await remaining.unprepare(claim)).toBe('');
    expect(await remaining.prepare(late)).toBe('');
    expect(bench.kernel.held.size).toBe(1);
  });

  it('gets its device anew after a reboot of the node', async () => {
    const claim = podWithClaim('rebooted');
    const agent = await agentStarts();
    await (await kubelet()).prepare(claim);
    await agentStops(agent);
    bench.kernel.held.clear();
    await agentStarts({ bootId: 'boot-2' });
    const node = await kubelet();
    expect(await node.prepare(claim)).toBe('');
    expect(bench.kernel.held.size).toBe(1);
    expect(await node.unprepare(claim)).toBe('');
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('that follows one deleted by force waits for the late Unprepare instead of failing', async () => {
    const forced = podWithClaim('forced');
    const next = podWithClaim('next');
    await agentStarts({ patience: { wait: 3_000, poll: 10 } });
    const node = await kubelet();
    await node.prepare(forced);
    bench.kube.remove(RESOURCE_TYPES.resourceClaims, forced);
    const waiting = node.prepare(next);
    setTimeout(() => void node.unprepare(forced), 60);
    expect(await waiting).toBe('');
    expect(bench.leftovers().checkpoints).toEqual(['uid-next.json']);
  });

  it('that is made again under its name does not get what the former had', async () => {
    const former = podWithClaim('vm');
    await agentStarts();
    const node = await kubelet();
    await node.prepare(former);
    const again = ref('vm', 'uid-again');
    bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(again, [{ pool: 'a', device: 'usb-far' }]));
    expect(await node.prepare(former)).toContain('CLAIM_REPLACED');
    expect(await node.prepare(again)).toContain('DEVICE_BUSY');
    expect(await node.unprepare(former)).toBe('');
    expect(await node.prepare(again)).toBe('');
  });
});
