// Configuration of a component: flag, then environment, then default. A bad value is one clear error.
import { TypedError } from '../../proto/api/typed-error.ts';

/** One setting. `parse` returns undefined for text that does not have the allowed form. */
export interface Option<T> {
  /** Without dashes, e.g. `node-name`. A flag whose form is empty takes no value. */
  readonly flag: string;
  readonly env?: string;
  /** What the setting does, for --help. */
  readonly help: string;
  /** The allowed form in words, e.g. `a port from 1 to 65535`; empty for switches. */
  readonly form: string;
  readonly parse: (text: string) => T | undefined;
  /** Used when neither flag nor environment is given; `undefined` means that one of them is required. */
  readonly fallback?: T;
}

type Values<S extends Record<string, Option<unknown>>> = {
  readonly [K in keyof S]: S[K] extends Option<infer T> ? T : never;
};

export interface ParsedOptions<S extends Record<string, Option<unknown>>> {
  readonly values: Values<S>;
  readonly help: boolean;
  readonly printConfig: boolean;
}

/** Flags by name from argv: `--flag value`, `--flag=value`, `--switch`. Throws USAGE for what no option knows. */
function flagsOf(options: readonly Option<unknown>[], argv: readonly string[]): Map<string, string> {
  const byFlag = new Map(options.map((option) => [option.flag, option]));
  const given = new Map<string, string>();
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    const [, flag = '', inline] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === 'help' || flag === 'print-config') {
      given.set(flag, 'true');
      continue;
    }
    const option = byFlag.get(flag);
    if (!option) throw new TypedError('USAGE', `unknown argument ${JSON.stringify(word)}`, 'see --help');
    const value = inline ?? (option.form === '' ? 'true' : argv[++i]);
    if (value === undefined) {
      throw new TypedError('USAGE', `--${flag} needs a value`, `give ${option.form}`);
    }
    given.set(flag, value);
  }
  return given;
}

function settingOf(option: Option<unknown>, flag: string | undefined, env: string | undefined): unknown {
  const [text, origin] =
    flag !== undefined ? [flag, `--${option.flag}`] : [env || undefined, option.env ?? ''];
  if (text === undefined) {
    if ('fallback' in option) return option.fallback;
    const ways = option.env ? `--${option.flag} or ${option.env}` : `--${option.flag}`;
    throw new TypedError('BAD_CONFIG', `${ways} is required`, `set it to ${option.form}`);
  }
  const value = option.parse(text);
  if (value !== undefined) return value;
  throw new TypedError(
    'BAD_CONFIG',
    `${origin} is ${JSON.stringify(text)}`,
    `it must be ${option.form || 'true or false'}`,
  );
}

/**
 * Reads the settings of a component. Throws USAGE (unknown flag, missing value) or BAD_CONFIG (wrong form, required
 * and absent). With --help nothing is checked, so that help works without a configuration.
 */
export function parseOptions<S extends Record<string, Option<unknown>>>(
  spec: S,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ParsedOptions<S> {
  const given = flagsOf(Object.values(spec), argv);
  const help = given.has('help');
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(spec)) {
    if (!help)
      values[name] = settingOf(option, given.get(option.flag), option.env ? env[option.env] : undefined);
  }
  return { values: values as Values<S>, help, printConfig: given.has('print-config') };
}
