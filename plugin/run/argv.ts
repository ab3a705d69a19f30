// Brings the ways in which kubectl lets people write flags (pflag's grammar) into the one form that yargs reads
// without guessing: `--name=value`, one per flag.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { Flag } from '../commands/flag.ts';

/** The spellings of strconv.ParseBool, which pflag accepts after `--switch=`. */
const BOOLEANS: Record<string, boolean> = {
  ...Object.fromEntries(['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false])),
};

/**
 * `-ojson`, `-o json`, `-o=json`, `--output json` -> `--output=json`; `-Aw` -> `--all-namespaces=true --watch=true`.
 * The last one of a flag wins unless it may be repeated. What follows `--`, and flags that are not known, stay as they
 * are. Throws USAGE for a flag without its value and for a switch with a value that is no boolean.
 */
export function normaliseArgv(argv: readonly string[], flags: readonly Flag[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const words = argv.slice(0, end);
  const out: string[] = [];
  const next = (spelling: string): string => {
    const value = words.shift();
    if (value === undefined)
      throw new TypedError('USAGE', `flag ${spelling} needs a value`, `write ${spelling} VALUE`);
    return value;
  };
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word.startsWith('--')) out.push(longFlag(word, flags, next));
    else if (word.startsWith('-') && word !== '-') out.push(...shortFlags(word, flags, next));
    else out.push(word);
  }
  return [...lastOfEach(out, flags), ...argv.slice(end)];
}

function longFlag(word: string, flags: readonly Flag[], next: (spelling: string) => string): string {
  const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = flags.find((one) => one.name === name);
  if (!flag) return word;
  if (flag.kind === 'switch') return written(flag, value ?? 'true');
  return written(flag, value ?? next(`--${name}`));
}

/** `-A`, `-Aw`, `-ojson`, `-o=json`, `-Aojson`: letters of switches, then at most one letter with a value. */
function shortFlags(word: string, flags: readonly Flag[], next: (spelling: string) => string): string[] {
  const out: string[] = [];
  for (let rest = word.slice(1); rest !== ''; ) {
    const letter = rest.slice(0, 1);
    const flag = flags.find((one) => one.short === letter);
    rest = rest.slice(1);
    if (!flag) return [...out, `-${letter}${rest}`];
    const assigned = rest.startsWith('=');
    if (flag.kind === 'switch' && !assigned) {
      out.push(written(flag, 'true'));
      continue;
    }
    const value = assigned ? rest.slice(1) : rest;
    return [...out, written(flag, value === '' && !assigned ? next(`-${letter}`) : value)];
  }
  return out;
}

function written(flag: Flag, value: string): string {
  if (flag.kind !== 'switch') return `--${flag.name}=${value}`;
  const state = Object.hasOwn(BOOLEANS, value) ? BOOLEANS[value] : undefined;
  if (state === undefined) {
    throw new TypedError(
      'USAGE',
      `flag --${flag.name} cannot be ${JSON.stringify(value)}`,
      'it is true or false',
    );
  }
  return `--${flag.name}=${state}`;
}

function lastOfEach(words: readonly string[], flags: readonly Flag[]): string[] {
  const single = new Set(flags.filter((flag) => flag.kind !== 'texts').map((flag) => flag.name));
  const nameOf = (word: string) => /^--([^=]+)=/.exec(word)?.[1] ?? '';
  return words.filter((word, index) => {
    const name = nameOf(word);
    return !single.has(name) || words.findLastIndex((other) => nameOf(other) === name) === index;
  });
}
