// The one cluster that all files of a lab test run use: the first that asks starts it.
import { Cluster } from './cluster.ts';
import { LabError } from './lab-error.ts';
import { RunRecord } from './run-record.ts';

/** Name of the variable through which test/lab/run.ts, which ends the lab afterwards, tells where its folder is. */
export const RUN_FOLDER = 'LAB_RUN_FOLDER';

declare global {
  // Test files do not share modules, but they share the process.
  var labCluster: Promise<Cluster> | undefined;
}

/** The cluster with at least `nodes` nodes (0: a control plane will do), all of them on. Tests leave it as they found it. */
export async function sharedCluster(nodes = 2): Promise<Cluster> {
  globalThis.labCluster ??= start(nodes);
  const cluster = await globalThis.labCluster;
  const missing = Math.max(0, nodes - cluster.nodes.length);
  await Promise.all(Array.from({ length: missing }, () => cluster.addNode()));
  for (const node of cluster.nodes) if (!node.isOn) await cluster.boot(node);
  return cluster;
}

function start(nodes: number): Promise<Cluster> {
  const folder = process.env[RUN_FOLDER];
  if (!folder) throw new LabError('lab tests need a lab', 'npm run lab:test');
  return Cluster.start(RunRecord.open(folder), { nodes, report: (line) => console.error(line) });
}
