// The code of the TypedError that some work ends with, for assertions.
import { TypedError } from '../../../proto/api/typed-error.ts';

/** Undefined when it does not fail. */
export function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof TypedError) return error.code;
    throw error;
  }
}

export async function codeOfPromise(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof TypedError) return error.code;
    throw error;
  }
}
