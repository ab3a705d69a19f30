// The kernel's tables of what the whole node has mounted and swaps to, parsed.

export interface Mount {
  /** `major:minor` of the file system; of some (btrfs) not that of their disk. */
  readonly device: string;
  /** What was mounted, e.g. `/dev/sda1`. */
  readonly source: string;
  readonly point: string;
}

export interface UseTables {
  /** Undefined when the table could not be read: then nobody knows that a disk is free. */
  readonly mounts: readonly Mount[] | undefined;
  /** Paths of files and devices. */
  readonly swaps: ReadonlySet<string>;
}

/** `36 35 8:1 / /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw`, with optional fields before the dash (proc(5)). */
export function parseMountInfo(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const words = line.split(' ');
    const [device, point] = [words[2], words[4]];
    const source = words[words.indexOf('-', 6) + 2];
    if (device === undefined || point === undefined || source === undefined) return [];
    return [{ device, source: plain(source), point: plain(point) }];
  });
}

/** A title, then a line for each: `/dev/sda2 partition 1048572 0 -2`. */
export function parseSwaps(text: string): Set<string> {
  const paths = text.split('\n').slice(1);
  return new Set(paths.map((line) => plain(line.split(/\s/, 1)[0] ?? '')).filter((path) => path !== ''));
}

/** Blank, tab, newline and backslash are written as three octal digits (mangle_path, fs/seq_file.c). */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
