// Turns what yargs says about a wrong command line into our form: the flag as it was written, and what to do.
import { TypedError } from '../../proto/api/typed-error.ts';
import { type Command, type Group, isGroup } from '../commands/command.ts';
import { connectionFlagsOf } from '../commands/connection-flags.ts';
import { nearest } from './nearest.ts';

/**
 * yargs hands out sentences only, so this reads them; the golden file of errors notices when a new version writes them
 * in another way. `words` is the command line in its one form (see argv.ts).
 */
export function usageError(root: Group, words: readonly string[], message: string): TypedError {
  const { command, path } = deepest(root, words);
  const help = `see "${path} --help"`;
  const [unknown] = /^Unknown arguments?: (.*)$/.exec(message)?.[1]?.split(', ') ?? [];
  if (unknown === undefined) return new TypedError('USAGE', message, help);
  // yargs names a flag without its dashes, as it does a word.
  const spelling = words.find((word) => isFlagNamed(word, unknown));
  if (spelling !== undefined) {
    const written = spelling.replace(/=.*$/s, '');
    const near = nearest(written, flagsOf(command));
    return new TypedError(
      'USAGE',
      `unknown flag ${written} of "${path}"`,
      near ? `did you mean ${near}? Else ${help}` : help,
    );
  }
  if (!isGroup(command)) {
    return new TypedError(
      'USAGE',
      `unexpected argument ${JSON.stringify(unknown)} of "${path}"`,
      `put quotes around words that belong together; ${help}`,
    );
  }
  const near = nearest(
    unknown,
    command.commands.map((one) => one.name),
  );
  return new TypedError(
    'USAGE',
    `unknown command ${JSON.stringify(unknown)} of "${path}"`,
    near ? `did you mean "${path} ${near}"? Else ${help}` : help,
  );
}

/** Short flags are still joined here when their letter is not known: yargs names single letters. */
function isFlagNamed(word: string, name: string): boolean {
  return (
    word === `--${name}` || word.startsWith(`--${name}=`) || (/^-[^-]/.test(word) && word[1] === name[0])
  );
}

function flagsOf(command: Command): string[] {
  const own = isGroup(command) ? [] : [...command.flags, ...connectionFlagsOf(command)];
  return ['--help', ...own.map((flag) => `--${flag.name}`)];
}

/** The command as far as it was understood: what it lacks is looked for there. */
function deepest(root: Group, words: readonly string[]): { command: Command; path: string } {
  let command: Command = root;
  let path = root.name;
  for (const word of words) {
    if (word.startsWith('-')) continue;
    const below: Command | undefined = isGroup(command)
      ? command.commands.find((one) => one.name === word)
      : undefined;
    if (!below) break;
    command = below;
    path = `${path} ${below.name}`;
  }
  return { command, path };
}
