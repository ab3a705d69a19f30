// Reads a file that a person named on the command line.
import { readFile } from 'node:fs/promises';
import { TypedError } from '../../proto/api/typed-error.ts';

/** UTF-8. Rejects with USAGE. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypedError(
      'USAGE',
      `${path} cannot be read: ${reason}`,
      'give the path of a file that is there',
    );
  }
}
