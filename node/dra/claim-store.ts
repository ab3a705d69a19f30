// The checkpoints of this node's claims: one durable file a claim, named by its uid.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TypedError } from '../../proto/api/typed-error.ts';
import { type DamagedFile, readDurable, removeDurable, writeDurable } from '../run/durable-file.ts';
import { type ClaimCheckpoint, decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';

/**
 * Damaged checkpoints count as absent; they are kept aside and reported. What they record does not outlive the boot, so
 * they need not survive a power cut, and the start of a pod does not wait for the disk.
 */
export interface ClaimStore {
  read(uid: string): Promise<ClaimCheckpoint | undefined>;
  list(): Promise<ClaimCheckpoint[]>;
  write(checkpoint: ClaimCheckpoint): Promise<void>;
  /** Removing what is absent is success. */
  remove(uid: string): Promise<void>;
}

/** Uids come from the kubelet and become file names. Throws BAD_INPUT for what is no uid. */
export function checkedUid(uid: string): string {
  if (/^[0-9A-Za-z][0-9A-Za-z-]{0,127}$/.test(uid)) return uid;
  throw new TypedError('BAD_INPUT', `${JSON.stringify(uid)} is not the uid of a claim`);
}

export class FileClaimStore implements ClaimStore {
  readonly #folder: string;
  readonly #onDamaged: (file: DamagedFile) => void;

  /** `folder` is made when the first checkpoint is written. */
  constructor(folder: string, onDamaged: (file: DamagedFile) => void) {
    this.#folder = folder;
    this.#onDamaged = onDamaged;
  }

  async read(uid: string): Promise<ClaimCheckpoint | undefined> {
    return readDurable(this.#path(uid), decodeWritten, this.#onDamaged);
  }

  /** Temporary files and damaged ones that were moved aside do not end in .json. */
  async list(): Promise<ClaimCheckpoint[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const uids = (await readdir(this.#folder)).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
    const found = await Promise.all(uids.sort().map((uid) => this.read(uid)));
    return found.filter((checkpoint) => checkpoint !== undefined);
  }

  async write(checkpoint: ClaimCheckpoint): Promise<void> {
    await writeDurable(this.#path(checkpoint.claim.uid), encodeCheckpoint(checkpoint), 'crash');
  }

  async remove(uid: string): Promise<void> {
    await removeDurable(this.#path(uid), 'crash');
  }

  #path(uid: string): string {
    return join(this.#folder, `${checkedUid(uid)}.json`);
  }
}

/** File systems that put off allocation leave a file that was not synced empty, or full of zeroes, after a power cut. */
function decodeWritten(text: string): ClaimCheckpoint | undefined {
  return /^\0*$/.test(text) ? undefined : decodeCheckpoint(text);
}
