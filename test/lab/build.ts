// `npm run lab:build [-- --install]`: builds everything the lab needs into the user's cache folder.
import { parseArgs } from 'node:util';
import { buildAll } from './artefacts/build-all.ts';
import { endWith } from './end-with.ts';
import { installPackages, requireMachine } from './requirements.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { install: { type: 'boolean', default: false } } });
  if (values.install) await installPackages();
  await requireMachine();
  await buildAll((line) => console.error(line));
}

await main().catch(endWith);
