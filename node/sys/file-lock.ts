// flock(2): keeps the processes of a node apart. The kernel drops the lock when its holder dies.
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { TypedError } from '../../proto/api/typed-error.ts';
import { callFailed, errnoName } from './call-failed.ts';
import { libc } from './libc.ts';

const LOCK_EX = 2;
const LOCK_NB = 4;

/** Milliseconds between tries: a blocking call would keep a thread of the pool for as long as the holder likes. */
const RETRY = 5;

/**
 * Runs `work` while nobody else, in this process or another, holds the lock on the file, which is made when missing.
 * TIMED_OUT after `timeoutMs` of waiting; KERNEL when the file cannot be opened or its file system has no locks.
 */
export async function withFileLock<T>(path: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const file = await openFile(path);
  try {
    await lock(file.fd, path, timeoutMs);
    return await work();
  } finally {
    // A lock belongs to the open file, so that closing ends it.
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a', 0o600);
  } catch (cause) {
    throw new TypedError('KERNEL', `cannot open ${path}: ${(cause as Error).message}`, undefined, { cause });
  }
}

async function lock(descriptor: number, path: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!tryLock(descriptor, path)) {
    if (performance.now() >= deadline) {
      throw new TypedError(
        'TIMED_OUT',
        `${path} was locked by somebody else for ${timeoutMs} ms`,
        'Another instance of the agent may hang: look at the pods of this node.',
      );
    }
    await sleep(RETRY);
  }
}

function tryLock(descriptor: number, path: string): boolean {
  if (libc().flock(descriptor, LOCK_EX | LOCK_NB) === 0) return true;
  if (errnoName(libc().errno()) === 'EAGAIN') return false;
  throw callFailed(`flock of ${path}`);
}
