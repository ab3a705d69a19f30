// The kernel of the nodes: Debian's sources as User-Mode Linux, an ordinary program that needs no KVM.
import { mkdir, readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Artefact } from '../cache.ts';
import { contentHash } from '../cache.ts';
import { run } from '../command.ts';
import { LabError } from '../lab-error.ts';
import { VERSIONS } from '../versions.ts';
import { fileContent, folderContents, labPath } from './recipe-folder.ts';

const HOUR = 3_600_000;

/** The artefact's only file is `linux`, stripped, about 10 MB. */
export function kernelArtefact(): Artefact {
  return {
    name: 'kernel',
    key: contentHash([
      VERSIONS.kernelSource,
      fileContent('artefacts/kernel.ts'),
      ...folderContents('kernel'),
    ]),
    build: async (folder, work) => {
      const source = await unpackSource(work);
      await applyPatches(source);
      await compile(source, join(work, 'out'));
      await run('strip', ['-o', join(folder, 'linux'), join(work, 'out', 'linux')]);
    },
  };
}

async function unpackSource(work: string): Promise<string> {
  await run('apt-get', ['download', VERSIONS.kernelSource], { cwd: work, timeout: HOUR }).catch((cause) => {
    throw new LabError(
      `cannot get the package ${VERSIONS.kernelSource}: ${cause.message}`,
      'apt-get update, or npm run lab:build -- --install, which does it',
      { cause },
    );
  });
  const deb = (await readdir(work)).find((name) => name.endsWith('.deb')) ?? '';
  await run('dpkg-deb', ['-x', deb, 'package'], { cwd: work, timeout: HOUR });
  await run('tar', ['-xf', `package/usr/src/${VERSIONS.kernelSource}.tar.xz`], { cwd: work, timeout: HOUR });
  return join(work, VERSIONS.kernelSource);
}

async function applyPatches(source: string): Promise<void> {
  const names = (await readdir(labPath('kernel'))).filter((name) => name.endsWith('.patch')).sort();
  for (const name of names) {
    await run('patch', ['-p1', '--no-backup-if-mismatch', '-i', labPath(`kernel/${name}`)], { cwd: source });
  }
}

async function compile(source: string, out: string): Promise<void> {
  await mkdir(out);
  const make = ['-s', '-C', source, 'ARCH=um', `O=${out}`];
  await run('make', [...make, `KCONFIG_ALLCONFIG=${labPath('kernel/node.config')}`, 'allnoconfig'], {
    timeout: HOUR,
  });
  await run('make', [...make, `-j${availableParallelism()}`, 'linux'], { timeout: HOUR });
}
