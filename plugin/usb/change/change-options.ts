// The flags that all verbs share which change something.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { DocumentFormat } from '../../output/document.ts';
import type { Arguments } from '../../run/arguments.ts';
import { parseDuration } from '../../run/duration.ts';

export interface ChangeOptions {
  /** `client`: print the steps; `server`: let the server check the patches and keep nothing. */
  readonly dryRun: 'none' | 'client' | 'server';
  readonly waits: boolean;
  /** Milliseconds for all waiting; Infinity for no limit. */
  readonly timeout: number;
  /** Questions are answered with yes. */
  readonly yes: boolean;
  /** What stdout gets at the end; undefined: a sentence. */
  readonly format: DocumentFormat | 'name' | undefined;
}

/** `defaultTimeout` in milliseconds. Throws USAGE. */
export function changeOptions(args: Arguments, defaultTimeout: number): ChangeOptions {
  const timeout = args.text('timeout');
  const dryRun = oneOf(args.text('dry-run'), ['client', 'server'] as const) ?? 'none';
  const format = oneOf(args.text('output'), ['json', 'yaml', 'name'] as const);
  if (dryRun === 'client' && (format === 'json' || format === 'yaml')) {
    throw new TypedError(
      'USAGE',
      `--dry-run=client cannot print ${format}: it prints the steps`,
      `--dry-run=server prints the object as the server would keep it`,
    );
  }
  return {
    dryRun,
    format,
    waits: !args.isOff('wait'),
    timeout:
      timeout === undefined ? defaultTimeout : parseDuration('timeout', timeout) || Number.POSITIVE_INFINITY,
    yes: args.isOn('yes'),
  };
}

/** The parser has refused everything else but `none`. */
function oneOf<T extends string>(text: string | undefined, values: readonly T[]): T | undefined {
  return values.find((value) => value === text);
}
