// An in-memory /sys, /proc and /dev: files, links and device files, with a hook for what is written.
import type { SysfsTree } from '../../node/usb/sysfs-tree.ts';
import { TypedError } from '../../proto/api/typed-error.ts';

/** What a kernel function answers with instead of 0. */
export class Errno extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export interface SysfsEntry {
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'link';
  /** Text or bytes of a file as latin1, target of a link; device files are empty files. */
  readonly content: string;
}

export class FakeSysfs implements SysfsTree {
  readonly #files = new Map<string, string | Uint8Array>();
  readonly #links = new Map<string, string>();
  readonly #devices = new Map<string, { major: number; minor: number }>();
  readonly #folders = new Map<string, Set<string>>();
  readonly #onWrite: (path: string, text: string) => void | Promise<void>;
  /** `path <- text` of every write that was tried. */
  readonly writes: string[] = [];

  constructor(onWrite: (path: string, text: string) => void | Promise<void>) {
    this.#onWrite = onWrite;
  }

  clear(): void {
    for (const map of [this.#files, this.#links, this.#devices, this.#folders]) map.clear();
  }

  file(path: string, content: string | number | Uint8Array): void {
    this.#enter(path);
    this.#files.set(path, typeof content === 'object' ? content : `${content}\n`);
  }

  link(path: string, target: string): void {
    this.#enter(path);
    this.#links.set(path, target);
  }

  device(path: string, major: number, minor: number): void {
    this.#enter(path);
    this.#devices.set(path, { major, minor });
  }

  folder(path: string): void {
    this.#enter(path);
    if (!this.#folders.has(path)) this.#folders.set(path, new Set());
  }

  readText(path: string): string | undefined {
    const bytes = this.readBytes(path);
    return bytes && Buffer.from(bytes).toString('utf8');
  }

  readBytes(path: string): Uint8Array | undefined {
    const content = this.#files.get(this.#real(path));
    return typeof content === 'string' ? Buffer.from(content) : content;
  }

  list(path: string): string[] {
    return [...(this.#folders.get(this.#real(path)) ?? [])].sort();
  }

  exists(path: string): boolean {
    const real = this.#real(path);
    return this.#files.has(real) || this.#folders.has(real) || this.#devices.has(real);
  }

  resolve(path: string): string | undefined {
    return this.exists(path) ? this.#real(path) : undefined;
  }

  deviceNumbers(path: string): { major: number; minor: number } | undefined {
    return this.#devices.get(this.#real(path));
  }

  async write(path: string, text: string): Promise<void> {
    this.writes.push(`${path} <- ${text}`);
    try {
      if (!this.#files.has(this.#real(path))) throw new Errno('ENOENT');
      await this.#onWrite(path, text);
    } catch (cause) {
      if (!(cause instanceof Errno)) throw cause;
      throw new TypedError('KERNEL', `write to ${path}: ${cause.code}`, undefined, { cause });
    }
  }

  /** Device files that are open. */
  readonly held = new Set<string>();

  async hold(path: string): Promise<{ release(): Promise<void> }> {
    if (!this.#devices.has(this.#real(path))) throw new TypedError('KERNEL', `open of ${path}: ENOENT`);
    this.held.add(path);
    return {
      release: async () => {
        this.held.delete(path);
      },
    };
  }

  /** Everything, folders before what is in them. */
  entries(): SysfsEntry[] {
    const paths = [...this.#folders].flatMap(([folder, names]) =>
      [...names].map((name) => `${folder}/${name}`),
    );
    return paths.sort().map((path) => {
      const target = this.#links.get(path);
      if (target !== undefined) return { path, kind: 'link', content: target };
      if (this.#folders.has(path)) return { path, kind: 'folder', content: '' };
      return { path, kind: 'file', content: latin1(this.#files.get(path) ?? '') };
    });
  }

  #enter(path: string): void {
    const slash = path.lastIndexOf('/');
    if (slash < 0) return;
    const folder = path.slice(0, slash);
    const names = this.#folders.get(folder);
    if (names) {
      names.add(path.slice(slash + 1));
      return;
    }
    this.#folders.set(folder, new Set([path.slice(slash + 1)]));
    this.#enter(folder);
  }

  /** Follows links in every part of the path. */
  #real(path: string): string {
    let real = '';
    for (const part of path.split('/').slice(1)) {
      real = `${real}/${part}`;
      const target = this.#links.get(real);
      if (target !== undefined) real = this.#real(target);
    }
    return real;
  }
}

function latin1(content: string | Uint8Array): string {
  return typeof content === 'string'
    ? Buffer.from(content).toString('latin1')
    : Buffer.from(content).toString('latin1');
}
