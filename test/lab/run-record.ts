// The folder of one lab: its files, and a list of everything outside it that must go when the lab ends.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LabError } from './lab-error.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';

export type Started =
  | ({ readonly kind: 'owner' } & ProcessIdentity)
  /** A process that leads a group; the whole group is ended. */
  | ({ readonly kind: 'group'; readonly what: string } & ProcessIdentity)
  | { readonly kind: 'namespace'; readonly name: string }
  | { readonly kind: 'link'; readonly name: string };

/** Below it every lab has a folder. */
function runsFolder(): string {
  return join(tmpdir(), 'kubectl-virt-lab');
}

const NEW = '.new-';

/** The folders of all labs, running or left over. */
export function runFolders(): string[] {
  const root = runsFolder();
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => name.startsWith('run-'))
    .map((name) => join(root, name));
}

/** The entries of a list; a last line that a crash cut short is left out. */
export function parseStarted(text: string): Started[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Started);
}

export class RunRecord {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** A new lab, owned by this process: when this process is gone, the next lab removes what is left. */
  static create(): RunRecord {
    mkdirSync(runsFolder(), { recursive: true, mode: 0o755 });
    const unnamed = mkdtempSync(join(runsFolder(), NEW));
    const self = identify(process.pid);
    if (self) new RunRecord(unnamed).note({ kind: 'owner', ...self });
    // It takes its place among the labs only now that it has an owner: another lab may be looking for leftovers.
    const folder = unnamed.replace(NEW, 'run-');
    renameSync(unnamed, folder);
    return new RunRecord(folder);
  }

  /** The lab whose folder another process made. */
  static open(folder: string): RunRecord {
    if (!existsSync(folder)) throw new LabError(`there is no lab in ${folder}`);
    return new RunRecord(folder);
  }

  /** A name that no other lab has, for what is not in the folder. */
  get id(): string {
    return this.folder.slice(this.folder.lastIndexOf('/') + 1).replace('run-', 'kvlab-');
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Makes a folder below this one and returns it. */
  makeFolder(...parts: string[]): string {
    const folder = this.path(...parts);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Written before the thing is made (or, for a process, right after its start), so that a crash loses nothing. */
  note(started: Started): void {
    appendFileSync(this.path('started.jsonl'), `${JSON.stringify(started)}\n`);
  }

  /** Notes a process that was started as leader of its own group. */
  noteGroup(pid: number | undefined, what: string): void {
    const identity = pid === undefined ? undefined : identify(pid);
    if (identity) this.note({ kind: 'group', what, ...identity });
  }

  started(): Started[] {
    const file = this.path('started.jsonl');
    return existsSync(file) ? parseStarted(readFileSync(file, 'utf8')) : [];
  }
}
