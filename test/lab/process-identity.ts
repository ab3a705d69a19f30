// Says whether a process is still the one that was started, and not another one that got its number later.
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start in clock ticks since boot, field 22 of /proc/<pid>/stat. */
  readonly start: string;
}

/** Field 22 of a stat line. The name in field 2 may hold spaces and parentheses, so fields count from the last one. */
export function startOf(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; it only waits for its parent.
  return fields[0] === 'Z' ? undefined : fields[19];
}

/** The identity of a running process; undefined when it has ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    const start = startOf(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    return start === undefined ? undefined : { pid, start };
  } catch {
    return undefined;
  }
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.start === identity.start;
}
