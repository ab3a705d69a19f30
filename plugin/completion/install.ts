// kubectl virt completion install.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { isShim, shimFor } from './shim.ts';

export async function installCompletion(args: Arguments, host: Host): Promise<number> {
  const place = { folder: args.text('dir') ?? dirname(process.argv[1] ?? ''), path: process.env.PATH ?? '' };
  const file = await installShim(place, process.platform);
  host.stdout.write(`${file} is there: kubectl 1.26 or newer completes kubectl virt now\n`);
  return 0;
}

/**
 * Writes the shim into a folder of `path` (the variable PATH); resolves to its file. Rejects with USAGE for a folder
 * that is not in `path` or cannot be written, CONFLICT for a file of another program.
 */
export async function installShim(
  { folder, path }: { readonly folder: string; readonly path: string },
  platform: NodeJS.Platform,
): Promise<string> {
  const target = resolve(folder);
  if (!path.split(delimiter).some((one) => one !== '' && resolve(one) === target)) {
    throw new TypedError(
      'USAGE',
      `${target} is not in PATH, so kubectl would not find anything there`,
      'give a folder that is, e.g. --dir ~/.local/bin',
    );
  }
  const { name, text } = shimFor(platform);
  const file = join(target, name);
  const present = await readFile(file, 'utf8').catch(() => undefined);
  if (present !== undefined && !isShim(present)) {
    throw new TypedError(
      'CONFLICT',
      `${file} is there and belongs to another plugin`,
      'remove it, or give another folder with --dir',
    );
  }
  try {
    await writeFile(file, text);
    await chmod(file, 0o755);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypedError('USAGE', `${file} cannot be written: ${reason}`, 'give another folder with --dir');
  }
  return file;
}
