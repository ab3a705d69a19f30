// The kernel's file interfaces in memory: passes the same contract as the tree of a real host.
import type { SysfsTree } from '../../node/usb/sysfs-tree.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { TreeFile } from './tree-file.ts';

export interface MemoryTree extends SysfsTree {
  add(files: readonly TreeFile[]): void;
  /** With everything below them. */
  remove(paths: readonly string[]): void;
}

/** What the kernel does inside a write; an error with `code` (`EBUSY`) is its answer. */
export type WriteHook = (path: string, text: string) => void | Promise<void>;

type Entry = TreeFile | { readonly kind: 'dir'; readonly names: Set<string> };

export function memoryTree(files: readonly TreeFile[] = [], onWrite?: WriteHook): MemoryTree {
  const tree = new InMemory(onWrite);
  tree.add(files);
  return tree;
}

class InMemory implements MemoryTree {
  readonly #entries = new Map<string, Entry>([['', { kind: 'dir', names: new Set() }]]);
  readonly #onWrite: WriteHook | undefined;

  constructor(onWrite: WriteHook | undefined) {
    this.#onWrite = onWrite;
  }

  add(files: readonly TreeFile[]): void {
    for (const file of files) {
      if (file.kind === 'dir') this.#folder(file.path);
      else {
        this.#enter(file.path);
        this.#entries.set(file.path, file);
      }
    }
  }

  remove(paths: readonly string[]): void {
    for (const path of paths) {
      const entry = this.#entries.get(path);
      if (entry && 'names' in entry) this.remove([...entry.names].map((name) => `${path}/${name}`));
      this.#entries.delete(path);
      const parent = this.#entries.get(path.slice(0, path.lastIndexOf('/')));
      if (parent && 'names' in parent) parent.names.delete(path.slice(path.lastIndexOf('/') + 1));
    }
  }

  readText(path: string): string | undefined {
    const bytes = this.readBytes(path);
    return bytes && Buffer.from(bytes).toString('utf8');
  }

  readBytes(path: string): Uint8Array | undefined {
    const entry = this.#at(path);
    if (entry?.kind !== 'file') return undefined;
    return new Uint8Array(Buffer.from(entry.content as string));
  }

  list(path: string): string[] {
    const entry = this.#at(path);
    return entry && 'names' in entry ? [...entry.names].sort() : [];
  }

  exists(path: string): boolean {
    return this.#at(path) !== undefined;
  }

  resolve(path: string): string | undefined {
    return this.#real(path, 0);
  }

  deviceNumbers(path: string): { major: number; minor: number } | undefined {
    const entry = this.#at(path);
    return entry?.kind === 'device' ? { major: entry.major, minor: entry.minor } : undefined;
  }

  async write(path: string, text: string): Promise<void> {
    try {
      const entry = this.#at(path);
      if (!entry) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      if (entry.kind !== 'file') throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
      if (this.#onWrite) await this.#onWrite(path, text);
      else this.#entries.set(this.resolve(path) ?? path, { path, kind: 'file', content: text });
    } catch (cause) {
      const { code } = cause as { code?: string };
      if (code === undefined) throw cause;
      throw new TypedError('KERNEL', `write to ${path}: ${code}`, undefined, { cause });
    }
  }

  async hold(path: string): Promise<{ release(): Promise<void> }> {
    if (!this.exists(path)) throw new TypedError('KERNEL', `open of ${path}: ENOENT`);
    return { release: async () => undefined };
  }

  #at(path: string): Entry | undefined {
    const real = this.#real(path, 0);
    return real === undefined ? undefined : this.#entries.get(real);
  }

  /** Follows links in every part; undefined for what is missing and for links in a circle. */
  #real(path: string, depth: number): string | undefined {
    let real = '';
    for (const part of path.split('/').filter((name) => name !== '' && name !== '.')) {
      if (part === '..') {
        real = real.slice(0, Math.max(real.lastIndexOf('/'), 0));
        continue;
      }
      const next = `${real}/${part}`;
      const entry = this.#entries.get(next);
      if (!entry || depth > 40) return undefined;
      if (entry.kind === 'link') {
        const target = entry.content.startsWith('/') ? entry.content : `${real}/${entry.content}`;
        const followed = this.#real(target, depth + 1);
        if (followed === undefined) return undefined;
        real = followed;
      } else real = next;
    }
    return real;
  }

  #folder(path: string): Set<string> {
    const known = this.#entries.get(path);
    if (known && 'names' in known) return known.names;
    const names = new Set<string>();
    this.#enter(path);
    this.#entries.set(path, { kind: 'dir', names });
    return names;
  }

  #enter(path: string): void {
    const slash = path.lastIndexOf('/');
    this.#folder(path.slice(0, slash)).add(path.slice(slash + 1));
  }
}
