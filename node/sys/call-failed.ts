// The error of a system call that failed.
import { getSystemErrorMap } from 'node:util';
import { TypedError } from '../../proto/api/typed-error.ts';
import { libc } from './libc.ts';

/** What the last call failed with. `code` is the errno name, as in the errors of node:fs. */
class CallError extends Error {
  readonly code: string;

  constructor(call: string, code: string) {
    super(`${call}: ${code}`);
    this.code = code;
  }
}

/** `EBUSY` for 16 and so on; `errno 9999` for a number that Node does not know. */
export function errnoName(errno: number): string {
  return getSystemErrorMap().get(-errno)?.[0] ?? `errno ${errno}`;
}

/** KERNEL, naming the call and the errno that it has just left; the name is also the `code` of `cause`. */
export function callFailed(call: string): TypedError {
  const code = errnoName(libc().errno());
  return new TypedError('KERNEL', `${call} failed: ${code}`, undefined, { cause: new CallError(call, code) });
}
