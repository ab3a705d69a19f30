// Which folders of a host root must be watched to notice that a USB device comes or goes.
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Links to devices; and device files, in a folder for each bus. */
const LINKS = 'sys/bus/usb/devices';
const BUSES = 'dev/bus/usb';

/**
 * Path and inode of each: a folder that was made anew has another inode. In place of a missing one the nearest folder
 * above it, where it will appear. sysfs itself reports no changes; devtmpfs does.
 */
export function watchedFolders(root: string): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const wanted of [LINKS, BUSES, ...busesOf(root)]) {
    let path = join(root, wanted);
    let inode = inodeOf(path);
    while (inode === undefined && path !== root && path !== dirname(path)) {
      path = dirname(path);
      inode = inodeOf(path);
    }
    if (inode !== undefined) found.set(path, inode);
  }
  return found;
}

function busesOf(root: string): string[] {
  try {
    return readdirSync(join(root, BUSES)).map((bus) => join(BUSES, bus));
  } catch {
    return [];
  }
}

/** Undefined for anything but a folder. */
function inodeOf(path: string): bigint | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat?.isDirectory() ? stat.ino : undefined;
}
