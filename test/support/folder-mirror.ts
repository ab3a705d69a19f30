// Shows an in-memory sysfs as a real folder, so that a program in another process can read it. Files appear by rename, and
// links after what they lead to: a reader never sees half of anything.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { FakeSysfs, SysfsEntry } from './fake-sysfs.ts';

export class FolderMirror {
  readonly #root: string;
  readonly #sysfs: FakeSysfs;
  readonly #shown = new Map<string, SysfsEntry>();
  #scratch = 0;

  constructor(root: string, sysfs: FakeSysfs) {
    this.#root = root;
    this.#sysfs = sysfs;
    mkdirSync(join(root, 'sys'), { recursive: true });
    mkdirSync(join(root, '.scratch'));
    this.show();
  }

  /** Makes the folder equal to the tree. */
  show(): void {
    const wanted = new Map(this.#sysfs.entries().map((entry) => [entry.path, entry]));
    for (const path of [...this.#shown.keys()].sort().toReversed()) {
      if (wanted.has(path)) continue;
      rmSync(join(this.#root, path), { force: true, recursive: true });
      this.#shown.delete(path);
    }
    const links = (entry: SysfsEntry) => (entry.kind === 'link' ? 1 : 0);
    for (const entry of [...wanted.values()].sort((a, b) => links(a) - links(b))) {
      const shown = this.#shown.get(entry.path);
      if (shown?.kind !== entry.kind || shown.content !== entry.content) this.#put(entry);
    }
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
}
