// What a file tree of /sys, /proc and /dev is made of, and how it is put into a real folder.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

/** `path` is absolute within the tree; folders above it are made as needed. A link's content is its target as written. */
export type TreeFile =
  | { readonly path: string; readonly kind: 'file'; readonly content: string | Uint8Array }
  | { readonly path: string; readonly kind: 'link'; readonly content: string }
  | { readonly path: string; readonly kind: 'dir' }
  | { readonly path: string; readonly kind: 'device'; readonly major: number; readonly minor: number };

export function file(path: string, content: string | number | Uint8Array): TreeFile {
  // Attributes of sysfs end with a newline.
  return { path, kind: 'file', content: typeof content === 'object' ? content : `${content}\n` };
}

/** A relative link, as sysfs makes them: it stays inside a tree that is mounted elsewhere. */
export function link(path: string, target: string): TreeFile {
  return { path, kind: 'link', content: posix.relative(posix.dirname(path), target) };
}

/** Below a real folder. Device files become empty files: making real ones needs root. */
export function writeTree(root: string, files: readonly TreeFile[]): void {
  for (const entry of files) {
    const path = `${root}${entry.path}`;
    mkdirSync(entry.kind === 'dir' ? path : dirname(path), { recursive: true });
    if (entry.kind === 'dir') continue;
    // Replaced and not written over, as a link would be followed.
    rmSync(path, { force: true });
    if (entry.kind === 'link') symlinkSync(entry.content, path);
    else writeFileSync(path, entry.kind === 'file' ? entry.content : '');
  }
}

export function removeTree(root: string, files: readonly TreeFile[]): void {
  for (const { path } of files.toReversed()) rmSync(`${root}${path}`, { recursive: true, force: true });
}
