// Keeps what is slow to build outside the checkout, under a name that changes with everything that went into it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from './file-lock.ts';

/** Something that is built once and then only read. */
export interface Artefact {
  readonly name: string;
  /** Hash over recipe, versions and inputs. */
  readonly key: string;
  /** Builds into `folder`; `work` is scratch space that is deleted afterwards. */
  readonly build: (folder: string, work: string) => Promise<void>;
}

/** The folder of all artefacts, below the user's cache folder. */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'kubectl-virt-lab');
}

/** Hash over the parts, each with its length, so that moving a byte from one part to the next changes it. */
export function contentHash(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex').slice(0, 20);
}

export function artefactFolder(root: string, artefact: Artefact): string {
  return join(root, `${artefact.name}-${artefact.key}`);
}

export function isBuilt(root: string, artefact: Artefact): boolean {
  return existsSync(artefactFolder(root, artefact));
}

/**
 * Returns the folder of the artefact, built when absent. It appears complete or not at all, whatever is killed; two
 * builds of the same artefact at the same time become one.
 */
export async function ensureArtefact(root: string, artefact: Artefact): Promise<string> {
  const folder = artefactFolder(root, artefact);
  if (isBuilt(root, artefact)) return folder;
  await mkdir(root, { recursive: true });
  return withFileLock(join(root, `.${artefact.name}.lock`), async () => {
    if (isBuilt(root, artefact)) return folder;
    await removeAbandoned(root, artefact.name);
    const scratch = await mkdtemp(join(root, `.${artefact.name}-building-`));
    try {
      const done = join(scratch, 'done');
      const work = join(scratch, 'work');
      await mkdir(done);
      await mkdir(work);
      await artefact.build(done, work);
      await rename(done, folder);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
    return folder;
  });
}

/** Scratch folders of builds that were killed: nobody else can be building while we hold the lock. */
async function removeAbandoned(root: string, name: string): Promise<void> {
  for (const entry of await readdir(root)) {
    if (entry.startsWith(`.${name}-building-`)) await rm(join(root, entry), { recursive: true, force: true });
  }
}
