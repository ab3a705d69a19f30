// The code of a TypedError that something throws or rejects with, for assertions that leave texts alone.
import { TypedError } from '../../proto/api/typed-error.ts';

/** `none` when nothing is thrown; other errors pass through. */
export async function errorCode(act: () => unknown): Promise<string> {
  try {
    await act();
    return 'none';
  } catch (error) {
    if (error instanceof TypedError) return error.code;
    throw error;
  }
}
