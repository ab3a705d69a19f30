// Shows an in-memory sysfs as a real folder, so that a program in another process can read it, and passes on what that
// program writes. Files appear by rename: a reader never sees half of one.
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { FakeSysfs, SysfsEntry } from './fake-sysfs.ts';

export class FolderMirror {
  readonly #root: string;
  readonly #sysfs: FakeSysfs;
  readonly #onWrite: (path: string, text: string) => void;
  readonly #shown = new Map<string, SysfsEntry>();
  readonly #watcher;
  #scratch = 0;

  constructor(root: string, sysfs: FakeSysfs, onWrite: (path: string, text: string) => void) {
    this.#root = root;
    this.#sysfs = sysfs;
    this.#onWrite = onWrite;
    mkdirSync(join(root, 'sys'), { recursive: true });
    mkdirSync(join(root, '.scratch'));
    this.show();
    this.#watcher = watch(join(root, 'sys'), { recursive: true }, (_event, name) => {
      if (name) this.#look(join('/sys', name));
    });
  }

  /** Makes the folder equal to the tree. */
  show(): void {
    const wanted = new Map(this.#sysfs.entries().map((entry) => [entry.path, entry]));
    for (const path of [...this.#shown.keys()].toReversed()) {
      if (wanted.has(path)) continue;
      rmSync(join(this.#root, path), { force: true, recursive: true });
      this.#shown.delete(path);
    }
    for (const entry of wanted.values()) {
      const shown = this.#shown.get(entry.path);
      if (shown?.kind !== entry.kind || shown.content !== entry.content) this.#put(entry);
    }
  }

  close(): void {
    this.#watcher.close();
  }

  #put(entry: SysfsEntry): void {
    const path = join(this.#root, entry.path);
    this.#shown.set(entry.path, entry);
    if (entry.kind === 'folder') {
      mkdirSync(path, { recursive: true });
      return;
    }
    mkdirSync(dirname(path), { recursive: true });
    const scratch = join(this.#root, '.scratch', String(this.#scratch++));
    if (entry.kind === 'link') symlinkSync(relative(dirname(path), join(this.#root, entry.content)), scratch);
    else writeFileSync(scratch, entry.content, 'latin1');
    renameSync(scratch, path);
  }

  /** A file that holds something else than what was shown was written by the program. */
  #look(path: string): void {
    const shown = this.#shown.get(path);
    if (shown?.kind !== 'file') return;
    let text: string;
    try {
      text = readFileSync(join(this.#root, path), 'latin1');
    } catch {
      return; // replaced or gone in between
    }
    if (text === '' || text === shown.content) return;
    this.#put(shown);
    this.#onWrite(path, text.trim());
  }
}
