// Builds what is missing, two things at a time where that helps, and tells how long each took.
import { type Artefact, cacheRoot, ensureArtefact, isBuilt } from '../cache.ts';
import { endCommands } from '../command.ts';
import { allArtefacts } from '../programs.ts';
import { onSignals } from '../signals.ts';

export type Report = (line: string) => void;

/**
 * Makes every artefact present below the cache folder. The kernel (make) runs beside the Go programs: the long
 * single-threaded ends of either leave a core idle otherwise.
 */
export async function buildAll(report: Report, root: string = cacheRoot()): Promise<void> {
  const start = performance.now();
  const artefacts = allArtefacts();
  const missing = artefacts.filter((artefact) => !isBuilt(root, artefact));
  if (missing.length === 0) {
    report(`lab: everything is built in ${root}`);
    return;
  }
  report(`lab: building ${missing.map(({ name }) => name).join(', ')} in ${root}`);
  const kernel = missing.filter(({ name }) => name === 'kernel');
  const others = missing.filter(({ name }) => name !== 'kernel');
  // Compilers left behind by a build that was told to end would go on for minutes.
  const release = onSignals(endCommands);
  const builds = [kernel, others].map((list) => buildInOrder(list, root, report));
  const outcomes = await Promise.allSettled(builds).finally(release);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  report(`lab: built in ${seconds(start)}`);
}

async function buildInOrder(artefacts: Artefact[], root: string, report: Report): Promise<void> {
  for (const artefact of artefacts) {
    const start = performance.now();
    await ensureArtefact(root, artefact);
    report(`lab: ${artefact.name} ${seconds(start)}`);
  }
}

function seconds(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(0)} s`;
}
