// A lock between processes that no crash can leave behind: the kernel drops it with the process that holds it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { LabError } from './lab-error.ts';

/** Runs `work` while holding the lock file; waits for another holder as long as it takes. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  // flock(1) holds the lock while its child lives, and the child lives until our end of its input closes.
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; exec cat >/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(holder, 'exit');
  const [first] = await Promise.race([once(holder.stdout, 'data'), ended]);
  if (!Buffer.isBuffer(first)) throw new LabError(`cannot lock ${file}`);
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}
