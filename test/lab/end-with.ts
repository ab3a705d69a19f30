// How the lab's programs end when something is wrong: one message and exit code 1, no stack for what a person can fix.
import { LabError } from './lab-error.ts';

/** Prints the error and makes the process exit with 1 (2 for a wrong argument). */
export function endWith(error: unknown): void {
  if (error instanceof LabError) console.error(`error: ${error.message}`);
  else if (isArgumentError(error)) console.error(`error: ${error.message}`);
  else console.error(error);
  process.exitCode = isArgumentError(error) ? 2 : 1;
}

function isArgumentError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^ERR_PARSE_ARGS/.test(error.code)
  );
}
