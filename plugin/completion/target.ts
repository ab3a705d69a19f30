// What the last word of an unfinished command line may become.
import { type Argument, type Command, type Group, isGroup } from '../commands/command.ts';
import { connectionFlagsOf } from '../commands/connection-flags.ts';
import type { Flag } from '../commands/flag.ts';
import { Arguments } from '../run/arguments.ts';
import { normaliseArgv } from '../run/argv.ts';
import { flagsBelow, HELP } from '../run/parser.ts';

export type Target =
  | { readonly kind: 'command'; readonly commands: readonly Command[] }
  | { readonly kind: 'flag'; readonly flags: readonly Flag[] }
  | { readonly kind: 'value'; readonly flag: Flag }
  | { readonly kind: 'argument'; readonly argument: Argument }
  | { readonly kind: 'nothing' };

export interface Completion {
  readonly target: Target;
  /** The beginning that is there already; of `--flag=value` only the value, because shells replace only that. */
  readonly typed: string;
  /** The flags before it: they say which cluster to ask. */
  readonly args: Arguments;
}

/** Stands for the word to complete, so that the reader of flags tells whether a flag takes it for its value. */
const HERE = '\0';

/** `words` ends with the word to complete, which may be empty. Throws USAGE for flags that cannot be read. */
export function completionTarget(root: Group, words: readonly string[]): Completion {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const known = flagsBelow(root);
  const given = normaliseArgv([...before, HERE], known);
  const args = argumentsIn(given, known);
  const place = findPlace(root, given);
  // What follows a flag is its value, whatever it looks like.
  const asked = given.find((word) => word.endsWith(`=${HERE}`))?.slice('--'.length, -`=${HERE}`.length);
  if (asked !== undefined) return { target: valueTarget(place, asked), typed: last, args };
  if (before.includes('--') || !last.startsWith('-')) return { target: wordTarget(place), typed: last, args };
  const [, name, value = ''] = /^--([^=]+)=(.*)$/s.exec(last) ?? [];
  if (name !== undefined) return { target: valueTarget(place, name), typed: value, args };
  return { target: flagTarget(place, given), typed: last, args };
}

interface Place {
  readonly command: Command;
  /** Arguments of the verb that are there. */
  readonly count: number;
}

/** Undefined behind a command that does not exist. */
function findPlace(root: Group, given: readonly string[]): Place | undefined {
  let command: Command = root;
  let count = 0;
  for (const word of plainWords(given)) {
    if (!isGroup(command)) count++;
    else {
      const below: Command | undefined = command.commands.find((one) => one.name === word);
      if (!below) return undefined;
      command = below;
    }
  }
  return { command, count };
}

function valueTarget(place: Place | undefined, name: string): Target {
  const flag = flagsAt(place).find((one) => one.name === name);
  return flag ? { kind: 'value', flag } : { kind: 'nothing' };
}

function wordTarget(place: Place | undefined): Target {
  if (!place) return { kind: 'nothing' };
  if (isGroup(place.command)) return { kind: 'command', commands: place.command.commands };
  const argument = place.command.arguments?.[place.count];
  return argument ? { kind: 'argument', argument } : { kind: 'nothing' };
}

/** Those that are not there yet, or may be repeated. */
function flagTarget(place: Place | undefined, given: readonly string[]): Target {
  const isThere = (name: string) => given.some((word) => word.startsWith(`--${name}=`));
  const flags = flagsAt(place).filter(({ name, kind }) => kind === 'texts' || !isThere(name));
  return { kind: 'flag', flags };
}

function flagsAt(place: Place | undefined): Flag[] {
  if (!place) return [];
  const { command } = place;
  return isGroup(command) ? [HELP] : [...command.flags, ...connectionFlagsOf(command), HELP];
}

/** Commands and arguments. */
function plainWords(given: readonly string[]): string[] {
  const end = given.includes('--') ? given.indexOf('--') : given.length;
  const before = given.slice(0, end).filter((word) => !word.startsWith('-'));
  return [...before, ...given.slice(end + 1)].filter((word) => word !== HERE);
}

function argumentsIn(given: readonly string[], known: readonly Flag[]): Arguments {
  const values = new Map<string, unknown>();
  for (const word of given) {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    const kind = known.find((flag) => flag.name === name)?.kind;
    if (kind === undefined || value === HERE) continue;
    const before = values.get(name);
    if (kind === 'texts') values.set(name, [...(Array.isArray(before) ? before : []), value]);
    else values.set(name, kind === 'switch' ? value === 'true' : value);
  }
  return new Arguments(values);
}
