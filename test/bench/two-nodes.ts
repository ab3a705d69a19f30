// Two lab nodes with a network and nothing else: the ground of benches that need kernels but no Kubernetes.
import { buildAll } from '../lab/artefacts/build-all.ts';
import { writeGuestFiles } from '../lab/guest-files.ts';
import { removeLab, removeLeftovers } from '../lab/leftovers.ts';
import { LabNetwork } from '../lab/network.ts';
import { LabNode } from '../lab/node.ts';
import { labPrograms, missingArtefacts } from '../lab/programs.ts';
import { requireMachine, requireRoot } from '../lab/requirements.ts';
import { RunRecord } from '../lab/run-record.ts';
import { onSignals } from '../lab/signals.ts';

/** Runs `work` with nodes a and b, and removes them whatever happens. Throws LabError when no lab can run here. */
export async function withTwoNodes<T>(work: (a: LabNode, b: LabNode) => Promise<T>): Promise<T> {
  requireRoot();
  await requireMachine();
  if (missingArtefacts().length > 0) await buildAll((line) => console.error(line));
  await removeLeftovers();
  const record = RunRecord.create();
  const release = onSignals(() => void removeLab(record).then(() => process.exit(130)));
  try {
    const [a, b] = await bootNodes(record);
    return await work(a, b);
  } finally {
    release();
    await removeLab(record);
  }
}

async function bootNodes(record: RunRecord): Promise<[LabNode, LabNode]> {
  const { kernel, path } = labPrograms();
  writeGuestFiles(record, path);
  const network = await LabNetwork.create(record);
  const boot = async (index: number) => {
    await network.addNode(index);
    const node = new LabNode({ index, kernel, memory: 768 }, record, network);
    await node.boot();
    return node;
  };
  return [await boot(0), await boot(1)];
}
