// `npm run lab`: starts a lab with the USB agents and keeps it until Ctrl-C, for looking around by hand.
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAll } from './artefacts/build-all.ts';
import { Cluster } from './cluster.ts';
import { endWith } from './end-with.ts';
import { CHECKOUT, NODE_JS } from './guest-files.ts';
import { LabError } from './lab-error.ts';
import { removeLab, removeLeftovers } from './leftovers.ts';
import { missingArtefacts } from './programs.ts';
import { requireMachine, requireRoot } from './requirements.ts';
import { RunRecord } from './run-record.ts';
import { onSignals } from './signals.ts';
import { agentsOn } from './usb/agents.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { nodes: { type: 'string', default: '2' } } });
  const nodes = Number(values.nodes);
  if (!(nodes >= 1)) throw new LabError(`not a number of nodes: ${values.nodes}`);
  requireRoot();
  await requireMachine();
  const report = (line: string) => console.error(line);
  if (missingArtefacts().length > 0) await buildAll(report);
  for (const folder of await removeLeftovers()) report(`lab: removed what was left of ${folder}`);
  const record = RunRecord.create();
  const ended = untilSignal();
  try {
    const cluster = await Promise.race([Cluster.start(record, { nodes, report }), ended]);
    if (!cluster) return;
    // Only who can enter the lab's namespace reaches it.
    for (const node of cluster.nodes) await node.ok('busybox telnetd -l /bin/bash');
    await agentsOn(cluster);
    report('lab: USB agents ready');
    console.log(instructions(cluster));
    await ended;
  } finally {
    report('lab: ending');
    await removeLab(record);
  }
}

async function untilSignal(): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  onSignals(() => resolve(undefined));
  // A pending promise alone does not keep the process.
  const keep = setInterval(() => {}, 3_600_000);
  await promise;
  clearInterval(keep);
  return undefined;
}

function instructions(cluster: Cluster): string {
  const enter = `ip netns exec ${cluster.network.namespace}`;
  return [
    '',
    `  export KUBECONFIG=${cluster.kubeconfig}`,
    `  export PATH=${CHECKOUT}/dist:${dirname(NODE_JS)}:${dirname(cluster.kubectlProgram)}:$PATH`,
    '  kubectl virt usb list',
    ...cluster.nodes.map(({ name, address }) => `  shell of ${name}: ${enter} busybox telnet ${address}`),
    `  logs:       ${cluster.folder}/*.log ${cluster.folder}/nodes/*/*.log`,
    `  network:    ${enter} bash`,
    '',
    '  Ctrl-C ends the lab.',
  ].join('\n');
}

await main().catch(endWith);
