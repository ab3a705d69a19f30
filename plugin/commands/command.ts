// What a command is: a group of commands, or a verb whose handler is imported only when it runs.
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import type { Flag } from './flag.ts';

/** Does the work and resolves to the exit code; rejects with TypedError. */
export type Handler = (args: Arguments, host: Host) => Promise<number>;

export interface Group {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly Command[];
  /** Shown below the help page. */
  readonly epilogue?: string;
}

/** A word that stands for itself, without a flag. */
export interface Argument {
  readonly name: string;
  readonly about: string;
  /** What it names: completion offers such objects of the cluster, and nothing for a text. */
  readonly kind: 'device' | 'vm' | 'text';
  readonly optional?: boolean;
}

export interface Verb {
  readonly name: string;
  readonly about: string;
  /** In the order of the command line; an optional one has no required one behind it. */
  readonly arguments?: readonly Argument[];
  readonly flags: readonly Flag[];
  /** Asks no cluster, so it has no connection flags. */
  readonly isLocal?: boolean;
  readonly examples: readonly (readonly [command: string, about: string])[];
  readonly load: () => Promise<Handler>;
}

export type Command = Group | Verb;

export function isGroup(command: Command): command is Group {
  return 'commands' in command;
}
