// What the agents hold on both nodes: taken before and after a test, so that nothing is left behind unseen.
import type { Cluster } from '../cluster.ts';
import { compareInventories, type Inventory, takeInventory } from '../inventory.ts';
import type { LabNode } from '../node.ts';
import { waitFor } from '../wait.ts';
import { AGENT_PROCESS, nodeStatus } from './agents.ts';

interface NodeFootprint {
  readonly inventory: Inventory;
  /** Open descriptors of the agent, without its connections to the API server, which come and go. */
  readonly descriptors: number;
  /** What the agent says that it holds or has lent. */
  readonly told: readonly string[];
}

export type Footprint = ReadonlyMap<string, NodeFootprint>;

export async function takeFootprint(cluster: Cluster): Promise<Footprint> {
  const nodes = await Promise.all(
    cluster.nodes.map(async (node) => [node.name, await ofNode(cluster, node)] as const),
  );
  return new Map(nodes);
}

async function ofNode(cluster: Cluster, node: LabNode): Promise<NodeFootprint> {
  const { attachments, exports } = await nodeStatus(cluster, node.name);
  const inventory = await takeInventory(node);
  return {
    inventory: {
      ...inventory,
      // What stays once it is there: the edits for every container, and the empty files that are locked.
      cdi: inventory.cdi.filter((file) => !file.endsWith('_common.json')),
      checkpoints: inventory.checkpoints.filter((file) => !file.endsWith('.lock')),
    },
    descriptors: Number(await node.ok(DESCRIPTORS)),
    told: [
      ...attachments.map(({ claim, device }) => `${device} attached for ${claim.name}`),
      ...exports.map(({ device, peer }) => `${device} exported to ${peer}`),
    ],
  };
}

const DESCRIPTORS = `
  pid=$(pgrep -of '${AGENT_PROCESS}')
  echo $(($(ls /proc/$pid/fd | wc -l) - $(ss -Htnp dst :443 | grep -c "pid=$pid,")))
`;

/** What is left over, one sentence each. Fewer descriptors than before are no fault: connections end late. */
export function compareFootprints(before: Footprint, after: Footprint): string[] {
  return [...before].flatMap(([name, former]) => {
    const now = after.get(name);
    if (!now) return [`node ${name} is gone`];
    return [
      ...compareInventories(former.inventory, now.inventory),
      ...now.told.filter((line) => !former.told.includes(line)),
      ...(now.descriptors > former.descriptors
        ? [`descriptors: ${now.descriptors}, not ${former.descriptors}`]
        : []),
    ].map((line) => `${name}: ${line}`);
  });
}

/** Waits until all is as it was before; fails with what is left. The kubelet looks for forgotten claims once a minute. */
export async function nothingLeft(cluster: Cluster, before: Footprint): Promise<void> {
  let left: string[] = [];
  await waitFor(
    'nothing is left over',
    async () => {
      left = compareFootprints(before, await takeFootprint(cluster));
      return left.length === 0;
    },
    { interval: 500, timeout: 120_000 },
  ).catch((cause: unknown) => {
    throw new Error(`left over: ${left.join('; ')}`, { cause });
  });
}
