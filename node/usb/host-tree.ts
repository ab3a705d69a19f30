// The real file interfaces of the kernel, below a host root: `/` on a node, a folder for a simulated one.
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { SysfsTree } from './sysfs-tree.ts';

/** A file that is not there, went away while it was read, or cannot answer now. A folder has no text either. */
const MISSING = new Set([
  'ENOENT',
  'ENODEV',
  'ENXIO',
  'EIO',
  'EINVAL',
  'EAGAIN',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
]);

/** Reads throw KERNEL for what is there and may not be read (EACCES, EPERM). */
export function hostTree(root = '/'): SysfsTree {
  const base = root.replace(/\/+$/, '');
  const at = (path: string) => `${base}${path}`;
  return {
    readText: (path) => tolerant('read', path, () => readFileSync(at(path), 'utf8')),
    readBytes: (path) => tolerant('read', path, () => new Uint8Array(readFileSync(at(path)))),
    list: (path) => tolerant('list', path, () => readdirSync(at(path)).sort()) ?? [],
    exists: (path) => tolerant('stat', path, () => statSync(at(path))) !== undefined,
    resolve: (path) => tolerant('resolve', path, () => inside(realBase(base), realpathSync.native(at(path)))),
    deviceNumbers: (path) => tolerant('stat', path, () => deviceNumbers(at(path))),
    write: (path, text) => writeOnce(at(path), path, text),
    hold: (path) => held(at(path), path),
  };
}

function tolerant<T>(action: string, path: string, act: () => T): T | undefined {
  try {
    return act();
  } catch (cause) {
    const code = codeOf(cause);
    if (MISSING.has(code)) return undefined;
    throw new TypedError('KERNEL', `${action} of ${path}: ${code}`, undefined, { cause });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** Links are followed by the kernel, so a root that is a link itself shows up resolved in every answer. */
function realBase(base: string): string {
  return base === '' ? '' : realpathSync.native(base);
}

/** The path as seen from the root; undefined when a link leads out of it. */
function inside(base: string, path: string): string | undefined {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
}

/** How Linux packs st_rdev: minor in bits 0-7 and 20-31, major in bits 8-19 and 32-43 (gnu_dev_major, sysmacros.h). */
function deviceNumbers(path: string): { major: number; minor: number } | undefined {
  const stat = statSync(path, { bigint: true });
  if (!stat.isCharacterDevice() && !stat.isBlockDevice()) return undefined;
  const { rdev } = stat;
  return {
    major: Number(((rdev >> 8n) & 0xfffn) | ((rdev >> 32n) & 0xfffff000n)),
    minor: Number((rdev & 0xffn) | ((rdev >> 12n) & 0xffffff00n)),
  };
}

/** Neither created nor truncated: what is no attribute of the kernel must not become a file. */
async function writeOnce(file: string, path: string, text: string): Promise<void> {
  try {
    const handle = await open(file, constants.O_WRONLY);
    try {
      await handle.write(text);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw new TypedError('KERNEL', `write to ${path}: ${codeOf(cause)}`, undefined, { cause });
  }
}

async function held(file: string, path: string): Promise<{ release(): Promise<void> }> {
  try {
    const handle = await open(file, constants.O_RDONLY);
    return { release: () => handle.close() };
  } catch (cause) {
    throw new TypedError('KERNEL', `open of ${path}: ${codeOf(cause)}`, undefined, { cause });
  }
}
