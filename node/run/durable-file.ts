// Files that survive a crash, and a power cut where that matters, whole or not at all; damaged ones are put aside.
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TypedError } from '../../proto/api/typed-error.ts';

/** A file that could not be used, where it is kept now, and why. */
export interface DamagedFile {
  readonly path: string;
  readonly movedTo: string;
  readonly error: Error;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** A rename or unlink is on the disk only after fsync of the folder that holds the name (fsync(2)). */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * `powerLoss`: synced to the disk before the write resolves. `crash`: of this process; cheaper, because what the page
 * cache has is enough. After a power cut such a file may be there as it was, as it became, empty, or not at all.
 */
export type Survives = 'powerLoss' | 'crash';

async function write(path: string, text: string, survives: Survives): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(text);
    if (survives === 'powerLoss') await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces the file as one step; readers see the old text or the new one. Makes the folder when it is missing.
 * Callers see to it that one path has one writer at a time. Rejects with KERNEL.
 */
export async function writeDurable(
  path: string,
  text: string,
  survives: Survives = 'powerLoss',
): Promise<void> {
  const fresh = `${path}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await write(fresh, text, survives);
    await rename(fresh, path);
    if (survives === 'powerLoss') await syncFolder(dirname(path));
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw new TypedError('KERNEL', `cannot write ${path}: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
}

/** Deletes the file; a missing one is success. Rejects with KERNEL. */
export async function removeDurable(path: string, survives: Survives = 'powerLoss'): Promise<void> {
  try {
    await rm(path);
    if (survives === 'powerLoss') await syncFolder(dirname(path));
  } catch (error) {
    if (isMissing(error)) return;
    throw new TypedError('KERNEL', `cannot delete ${path}: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
}

async function moveAside(path: string): Promise<string> {
  let number = 1;
  while (existsSync(`${path}.corrupt-${number}`)) number++;
  const target = join(dirname(path), `${basename(path)}.corrupt-${number}`);
  await rename(path, target);
  return target;
}

/**
 * The decoded file; undefined when it is missing. A file that cannot be read or decoded is renamed to
 * `<path>.corrupt-<n>`, reported, and then counts as missing. Rejects with CORRUPT_STATE when it cannot be renamed.
 */
export async function readDurable<T>(
  path: string,
  decode: (text: string) => T,
  onDamaged: (file: DamagedFile) => void,
): Promise<T | undefined> {
  try {
    return decode(await readFile(path, 'utf8'));
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    const error = cause as Error;
    const movedTo = await moveAside(path).catch((failure: unknown) => {
      // Another reader of the same folder was faster.
      if (isMissing(failure)) return undefined;
      throw new TypedError('CORRUPT_STATE', `${path} is damaged and cannot be moved aside`, error.message, {
        cause: failure,
      });
    });
    if (movedTo !== undefined) onDamaged({ path, movedTo, error });
    return undefined;
  }
}
