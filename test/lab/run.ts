// `npm run lab:test [-- <group>...] [--soak] [-t <name>]`: runs lab tests, and ends the lab whatever happens.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildAll } from './artefacts/build-all.ts';
import { labPath } from './artefacts/recipe-folder.ts';
import { endWith } from './end-with.ts';
import { CHECKOUT } from './guest-files.ts';
import { removeLab, removeLeftovers } from './leftovers.ts';
import { missingArtefacts } from './programs.ts';
import { requireMachine, requireRoot } from './requirements.ts';
import { RunRecord } from './run-record.ts';
import { RUN_FOLDER } from './shared-cluster.ts';
import { onSignals } from './signals.ts';
import { parseTestArguments, type TestArguments } from './test-arguments.ts';
import { testGroups } from './test-groups.ts';

async function main(): Promise<void> {
  const args = parseTestArguments(process.argv.slice(2), testGroups());
  requireRoot();
  await requireMachine();
  if (missingArtefacts().length > 0) await buildAll((line) => console.error(line));
  for (const folder of await removeLeftovers()) console.error(`lab: removed what was left of ${folder}`);
  const record = RunRecord.create();
  try {
    process.exitCode = await runTests(args, record);
  } finally {
    await removeLab(record);
  }
}

/** The exit code of vitest; a signal is passed on, so that the lab is removed afterwards. */
async function runTests(args: TestArguments, record: RunRecord): Promise<number> {
  const results = process.env.LAB_RESULTS;
  const child = spawn(
    process.execPath,
    [
      `${CHECKOUT}/node_modules/vitest/vitest.mjs`,
      ...['run', '--config', labPath('vitest.config.ts')],
      ...(args.name ? ['-t', args.name] : []),
      ...(results ? ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`] : []),
    ],
    {
      cwd: CHECKOUT,
      stdio: 'inherit',
      env: {
        ...process.env,
        LAB_GROUPS: args.groups.join(','),
        LAB_SOAK: args.soak ? '1' : '',
        [RUN_FOLDER]: record.folder,
      },
    },
  );
  const ended = once(child, 'exit');
  const release = onSignals((signal) => child.kill(signal));
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  release();
  return signal ? 130 : (code ?? 1);
}

await main().catch(endWith);
