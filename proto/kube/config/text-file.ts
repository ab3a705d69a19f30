// Reads the files that a kubeconfig is made of, with errors that a person can act on.
import { TypedError } from '../../api/typed-error.ts';
import type { ConnectionPorts } from './connection-ports.ts';

/** What happened and what to do, by the system's name of the error. */
const PROBLEMS: Record<string, readonly [string, string]> = {
  ENOENT: ['does not exist', 'check the path'],
  EACCES: ['cannot be read: permission denied', 'run as its owner, or change its mode'],
  EPERM: ['cannot be read: permission denied', 'run as its owner, or change its mode'],
  EISDIR: ['is a folder', 'name a file in it'],
  ENOTDIR: ['does not exist: a part of its path is a file', 'check the path'],
};

/** The system's name of an error: ENOENT, EACCES, ... */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** `what` begins the message: `client-key of user "admin" of ...`. Throws BAD_KUBECONFIG. */
export async function readText(ports: ConnectionPorts, path: string, what: string): Promise<string> {
  try {
    return await ports.readFile(path);
  } catch (error) {
    const code = errorCodeOf(error);
    const [problem, hint] = PROBLEMS[code] ?? [`cannot be read (${code})`, 'check the disk and its mount'];
    throw new TypedError('BAD_KUBECONFIG', `${what}: ${path} ${problem}`, hint, { cause: error });
  }
}
