// From the command table to yargs and back: which verb runs with which arguments, or which help page is shown.
import yargs, { type Argv } from 'yargs';
import { TypedError } from '../../proto/api/typed-error.ts';
import { type Argument, type Command, type Group, isGroup, type Verb } from '../commands/command.ts';
import { CONNECTION_FLAGS, connectionFlagsOf } from '../commands/connection-flags.ts';
import type { Flag } from '../commands/flag.ts';
import { Arguments } from './arguments.ts';
import { normaliseArgv } from './argv.ts';
import { usageError } from './usage-error.ts';

export type Call =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'run'; readonly verb: Verb; readonly args: Arguments };

export const HELP = {
  name: 'help',
  short: 'h',
  kind: 'switch',
  about: 'Show this page',
} as const satisfies Flag;

/**
 * Reads one command line. `width` is for the help pages (columns). A group without a verb shows its help page.
 * Throws USAGE for everything that is not in the table.
 */
export function parseCall(root: Group, argv: readonly string[], width: number): Call {
  const words = normaliseArgv(argv, flagsBelow(root));
  let chosen: { verb: Verb; values: Record<string, unknown> } | undefined;
  let group: Group = root;
  const parser = configured(root, width);
  addCommands(parser, root, root.name, (command, values) => {
    if (isGroup(command)) group = command;
    else chosen = { verb: command, values };
  });
  let page = '';
  parser.parse(words, {}, (error, _values, output) => {
    if (error) throw usageError(root, words, error.message);
    page = output;
  });
  if (chosen) return { kind: 'run', verb: chosen.verb, args: argumentsOf(chosen.verb, chosen.values) };
  // yargs has no page for a group that was called without a verb, but it has one for the same group with --help.
  if (page === '') return parseCall(root, [...pathTo(root, group), '--help'], width);
  return { kind: 'help', text: `${inOurForm(page, argumentLists(root))}\n` };
}

/**
 * As close to pflag as yargs gets: no `--no-x` of its own making, no second names, no numbers made of serial numbers.
 * The language is fixed, because usage-error.ts reads the messages.
 */
function configured(root: Group, width: number): Argv {
  return yargs()
    .scriptName(root.name)
    .usage(`${root.about}.\n\nUsage: ${root.name} COMMAND`)
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
    })
    .locale('en')
    .updateStrings({ 'Positionals:': 'Arguments:' })
    .version(false)
    .help(HELP.name, HELP.about)
    .alias(HELP.name, HELP.short)
    .group(HELP.name, 'Flags:')
    .epilogue(root.epilogue ?? '')
    .wrap(width)
    .strict()
    .exitProcess(false)
    .showHelpOnFail(false);
}

type Choose = (command: Command, values: Record<string, unknown>) => void;

function addCommands(parser: Argv, group: Group, path: string, choose: Choose): void {
  for (const command of group.commands) {
    const below = `${path} ${command.name}`;
    parser.command(
      shapeOf(command),
      command.about,
      (inner) =>
        isGroup(command) ? groupPage(inner, command, below, choose) : verbPage(inner, command, below),
      (values) => choose(command, values),
    );
  }
}

/** All are optional for yargs, which looks for required ones before `--` only; argumentsOf asks for them. */
function shapeOf(command: Command): string {
  return [command.name, ...argumentsBelow(command).map(({ name }) => `[${name}]`)].join(' ');
}

function usageWords(verb: Verb): string[] {
  return argumentsBelow(verb).map(({ name, optional }) =>
    optional ? `[${name.toUpperCase()}]` : name.toUpperCase(),
  );
}

function groupPage(parser: Argv, group: Group, path: string, choose: Choose): Argv {
  parser.usage(`${group.about}.\n\nUsage: ${path} COMMAND`).epilogue(group.epilogue ?? '');
  addCommands(parser, group, path, choose);
  return parser;
}

function verbPage(parser: Argv, verb: Verb, path: string): Argv {
  parser.usage(`${verb.about}.\n\nUsage: ${[path, ...usageWords(verb)].join(' ')} [flags]`).epilogue('');
  for (const { name, about } of argumentsBelow(verb))
    parser.positional(name, { type: 'string', describe: about });
  for (const flag of verb.flags) addFlag(parser, flag, 'Flags:');
  for (const flag of connectionFlagsOf(verb)) addFlag(parser, flag, 'Connection flags:');
  for (const [command, about] of verb.examples) parser.example(command, about);
  return parser;
}

function addFlag(parser: Argv, flag: Flag, group: string): void {
  const about = flag.choices ? `${flag.about}: ${flag.choices.join(', ')}` : flag.about;
  const type = { text: 'string', texts: 'array', switch: 'boolean' } as const;
  const shape = { type: type[flag.kind], describe: about, group } as const;
  const named =
    flag.short !== undefined && flag.short !== flag.name ? { ...shape, alias: flag.short } : shape;
  parser.option(flag.name, named);
}

/** As in kubectl's pages, the types at the right edge are left out, and what is required stands in capitals. */
function inOurForm(page: string, lists: ReadonlyMap<string, string>): string {
  return page
    .replace(/ +\[(?:string|boolean|array)\]$/gm, '')
    .replace(/(?<=^ {2}.*? )\w+(?: \[\w+\])+(?= {2})/gm, (shape) =>
      (lists.get(shape) ?? shape).padEnd(shape.length),
    )
    .trimEnd();
}

/** From `show [device]`, as yargs is told, to `show DEVICE`. */
function argumentLists(command: Command): Map<string, string> {
  if (!isGroup(command))
    return new Map([[shapeOf(command), [command.name, ...usageWords(command)].join(' ')]]);
  return new Map(command.commands.flatMap((one) => [...argumentLists(one)]));
}

function argumentsOf(verb: Verb, values: Record<string, unknown>): Arguments {
  const given = new Map(Object.entries(values));
  // A word after `--` is an argument even when it begins with a dash.
  const after = Array.isArray(values['--']) ? values['--'] : [];
  const before = argumentsBelow(verb).map(({ name }) => given.get(name));
  const words = [...before, ...after].filter((word) => word !== undefined);
  for (const { name, about, optional } of argumentsBelow(verb)) {
    const word = words.shift();
    if (word !== undefined) given.set(name, word);
    else if (!optional) throw new TypedError('USAGE', `${name.toUpperCase()} is missing`, `give ${about}`);
  }
  if (words.length > 0) throw new TypedError('USAGE', `unexpected argument ${JSON.stringify(words[0])}`);
  const args = new Arguments(given);
  for (const flag of verb.flags) checkChoice(flag, args.text(flag.name));
  return args;
}

/** Not left to yargs: its error takes four lines and has no place for a hint. */
function checkChoice(flag: Flag, value: string | undefined): void {
  if (value === undefined || !flag.choices) return;
  if (flag.choices.some((choice) => allows(choice, value))) return;
  throw new TypedError(
    'USAGE',
    `--${flag.name} cannot be ${JSON.stringify(value)}`,
    `it is one of: ${flag.choices.join(', ')}`,
  );
}

function argumentsBelow(command: Command): readonly Argument[] {
  return isGroup(command) ? [] : (command.arguments ?? []);
}

/** What stands behind the `=` of a choice is up to the person. */
function allows(choice: string, value: string): boolean {
  const end = choice.indexOf('=') + 1;
  return end > 0 ? value.startsWith(choice.slice(0, end)) : value === choice;
}

/** All flags by name: a letter means the same in every command, so argv can be read before the verb is known. */
export function flagsBelow(command: Command): Flag[] {
  if (!isGroup(command)) return [...command.flags];
  const all = [HELP, ...CONNECTION_FLAGS, ...command.commands.flatMap(flagsBelow)];
  return [...new Map(all.map((flag) => [flag.name, flag])).values()];
}

function pathTo(root: Group, wanted: Group): string[] {
  for (const command of root.commands) {
    if (!isGroup(command)) continue;
    if (command === wanted) return [command.name];
    const below = pathTo(command, wanted);
    if (below.length > 0) return [command.name, ...below];
  }
  return [];
}
