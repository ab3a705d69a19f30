// Signs in through a credential plugin and keeps its answer until it expires.
import { TypedError } from '../../api/typed-error.ts';
import type { ConnectionPorts, Environment, PluginResult } from './connection-ports.ts';
import type { Credential, CredentialSource } from './credential-source.ts';
import {
  decodeExecCredential,
  encodeExecInfo,
  type PluginCluster,
  type PluginCredential,
} from './exec-credential.ts';
import type { ExecEntry } from './exec-entry.ts';
import { errorCodeOf } from './text-file.ts';

/** Milliseconds. A person at the terminal may have to find a phone or a browser; a script must not hang. */
const TIME_LIMIT = { withPerson: 300_000, alone: 60_000 };

/**
 * One run of the plugin serves all requests that wait for it. `current` throws EXEC_CREDENTIAL when the plugin is
 * missing, fails, takes too long or answers something unusable.
 */
export class ExecPlugin implements CredentialSource {
  readonly #ports: ConnectionPorts;
  readonly #env: Environment;
  readonly #exec: ExecEntry;
  readonly #cluster: PluginCluster;
  #answer: PluginCredential | undefined;
  #running: Promise<PluginCredential> | undefined;

  constructor(ports: ConnectionPorts, env: Environment, exec: ExecEntry, cluster: PluginCluster) {
    this.#ports = ports;
    this.#env = env;
    this.#exec = exec;
    this.#cluster = cluster;
  }

  async current(): Promise<Credential> {
    const { expires, ...credential } = await this.#valid();
    return credential;
  }

  /** A run that is under way stays: what it brings is newer than what the server refused. */
  invalidate(): boolean {
    this.#answer = undefined;
    return true;
  }

  /** A fresh answer is used even when it has expired already: clocks differ, and the server decides. */
  async #valid(): Promise<PluginCredential> {
    if (this.#answer && this.#ports.now() < this.#answer.expires) return this.#answer;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    this.#answer = await this.#running;
    return this.#answer;
  }

  async #run(): Promise<PluginCredential> {
    const interactive = this.#interactive();
    const { command, args, env } = this.#exec;
    const info = encodeExecInfo(this.#exec, interactive, this.#cluster);
    const result = await this.#ports
      .runPlugin({
        command,
        args,
        env: { ...this.#env, ...env, KUBERNETES_EXEC_INFO: info },
        interactive,
        timeLimit: this.#ports.stdinIsTerminal ? TIME_LIMIT.withPerson : TIME_LIMIT.alone,
      })
      .catch((error: unknown) => {
        throw notStarted(this.#exec, error);
      });
    return decodeExecCredential(outputOf(this.#exec, result), this.#exec);
  }

  #interactive(): boolean {
    const { interactiveMode, command } = this.#exec;
    if (interactiveMode === 'Always' && !this.#ports.stdinIsTerminal) {
      throw new TypedError(
        'EXEC_CREDENTIAL',
        `credential plugin ${command} needs a terminal and stdin is none`,
        'run it at a terminal, or give --token',
      );
    }
    return interactiveMode !== 'Never' && this.#ports.stdinIsTerminal;
  }
}

function notStarted(exec: ExecEntry, error: unknown): TypedError {
  const code = errorCodeOf(error);
  const problem =
    code === 'ENOENT'
      ? 'was not found'
      : code === 'EACCES'
        ? 'may not be executed'
        : `did not start (${code})`;
  const hint = printable(exec.installHint) || `install it, or correct command of ${exec.where}`;
  return new TypedError('EXEC_CREDENTIAL', `credential plugin ${exec.command} ${problem}`, hint, {
    cause: error,
  });
}

/** Hints come from a file and messages from a program that others may write: they must not steer the terminal. */
function printable(text: string): string {
  return text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '').trim();
}

/** Arguments stay out of messages: some plugins take secrets there. */
function outputOf(exec: ExecEntry, result: PluginResult): string {
  const failed = (problem: string) =>
    new TypedError(
      'EXEC_CREDENTIAL',
      `credential plugin ${exec.command} ${problem}`,
      `run it by hand to see why, with the args of ${exec.where}`,
    );
  if (result.outcome === 'timed-out') throw failed('took too long and was ended');
  if (result.code === 0) return result.stdout;
  const end =
    result.code === undefined ? `was ended by ${result.signal}` : `failed with exit code ${result.code}`;
  throw failed(result.lastMessage === '' ? end : `${end}: ${printable(result.lastMessage)}`);
}
