// Everything that resolving a connection does to the world; tests replace it, so that they need no home folder.

export type Environment = Readonly<Record<string, string | undefined>>;

/** One start of a credential plugin. A command without a separator is looked up in PATH. */
export interface PluginCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** The plugin gets the terminal's stdin; without it stdin is empty. */
  readonly interactive: boolean;
  /** Milliseconds until the plugin is killed. */
  readonly timeLimit: number;
}

export type PluginResult =
  | { readonly outcome: 'timed-out' }
  | {
      readonly outcome: 'exited';
      /** Undefined when a signal ended it. */
      readonly code: number | undefined;
      readonly signal: string | undefined;
      readonly stdout: string;
      /** Last non-empty line of stderr; empty when stderr went to the terminal itself. */
      readonly lastMessage: string;
    };

export interface ConnectionPorts {
  /** UTF-8 text; rejects with the system's error (`code`: ENOENT, EACCES, ...). */
  readFile(path: string): Promise<string>;
  /** Rejects with the system's error when the command cannot be started. */
  runPlugin(call: PluginCall): Promise<PluginResult>;
  /** PEM certificates that the operating system trusts; empty when it keeps none. */
  systemCertificates(): Promise<string[]>;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly stdinIsTerminal: boolean;
}
