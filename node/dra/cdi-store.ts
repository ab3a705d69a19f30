// The CDI files of this driver in the folder that the container runtime watches.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CDI_KIND } from '../../proto/api/names.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { type CdiSpec, usbfsNodes } from './cdi.ts';
import { checkedUid } from './claim-store.ts';

/** `common` or the uid of a claim. */
type SpecId = string;

export interface CdiStore {
  /** Replaces the file as one step: the runtime sees the old one or the new one. */
  write(id: SpecId, spec: CdiSpec): Promise<void>;
  /** The first node of each device, which is its usbfs node; none when the file is missing or makes no sense. */
  usbfsNodes(id: SpecId): Promise<string[]>;
  /** Removing what is absent is success. */
  remove(id: SpecId): Promise<void>;
  list(): Promise<SpecId[]>;
}

const PREFIX = `${CDI_KIND.replace('/', '-')}_`;

async function attempt(what: string, work: () => void): Promise<void> {
  try {
    work();
  } catch (error) {
    throw new TypedError('KERNEL', `cannot ${what}: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
}

/**
 * The folder is usually a tmpfs: nothing here outlives a boot, so nothing is synced, and what never waits for a disk is
 * written at once instead of by other threads.
 */
export class FileCdiStore implements CdiStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(id: SpecId, spec: CdiSpec): Promise<void> {
    const path = this.#path(id);
    const text = `${JSON.stringify(spec, undefined, 2)}\n`;
    await attempt(`write ${path}`, () => {
      // The runtime reads the whole folder again at each change: a file that is right is left alone.
      if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(`${path}.tmp`, text, { mode: 0o644 });
      renameSync(`${path}.tmp`, path);
    });
  }

  async usbfsNodes(id: SpecId): Promise<string[]> {
    const text = await readFile(this.#path(id), 'utf8').catch(() => undefined);
    return text === undefined ? [] : usbfsNodes(text);
  }

  async remove(id: SpecId): Promise<void> {
    const path = this.#path(id);
    await attempt(`delete ${path}`, () => rmSync(path, { force: true }));
  }

  async list(): Promise<SpecId[]> {
    const files = await readdir(this.#folder).catch(() => []);
    return files
      .filter((file) => file.startsWith(PREFIX) && file.endsWith('.json'))
      .map((file) => file.slice(PREFIX.length, -'.json'.length))
      .sort();
  }

  #path(id: SpecId): string {
    return join(this.#folder, `${PREFIX}${checkedUid(id)}.json`);
  }
}
