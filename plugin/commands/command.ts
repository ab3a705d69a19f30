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

export interface Verb {
  readonly name: string;
  readonly about: string;
  /** Name of the one required argument. */
  readonly argument?: { readonly name: string; readonly about: string };
  readonly flags: readonly Flag[];
  readonly examples: readonly (readonly [command: string, about: string])[];
  readonly load: () => Promise<Handler>;
}

export type Command = Group | Verb;

export function isGroup(command: Command): command is Group {
  return 'commands' in command;
}
