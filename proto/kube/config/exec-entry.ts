// The exec member of a user entry: which credential plugin to run and how.
import { sep } from 'node:path';
import { TypedError } from '../../api/typed-error.ts';
import { pathFrom } from './entry-path.ts';
import type { Section } from './section.ts';

/** Whether the plugin needs stdin, uses it when it is a terminal, or never reads it. */
export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

export interface ExecEntry {
  readonly apiVersion: string;
  /** Absolute path, or a bare name for PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Shown when the command is missing; may have several lines. */
  readonly installHint: string;
  /** Puts server and CA into KUBERNETES_EXEC_INFO, for plugins that ask the cluster itself. */
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: InteractiveMode;
  /** For messages. */
  readonly where: string;
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const MODES: readonly string[] = ['Never', 'IfAvailable', 'Always'] satisfies InteractiveMode[];

function isMode(text: string): text is InteractiveMode {
  return MODES.includes(text);
}

function wrong(what: string, hint: string): TypedError {
  return new TypedError('BAD_KUBECONFIG', what, hint);
}

/** v1beta1 defaults to IfAvailable; v1 made the field required. */
function modeOf(body: Section, apiVersion: string): InteractiveMode {
  const mode = body.text('interactiveMode') || (apiVersion.endsWith('/v1beta1') ? 'IfAvailable' : '');
  if (isMode(mode)) return mode;
  const problem = mode === '' ? 'is missing' : `is ${JSON.stringify(mode)}`;
  throw wrong(`interactiveMode of ${body.where} ${problem}`, `set it to one of ${MODES.join(', ')}`);
}

/** A bare name stays bare and is looked up in PATH, even when a file of that name lies beside the kubeconfig. */
function commandOf(body: Section, file: string): string {
  const command = body.text('command');
  if (command === '') throw wrong(`${body.where} has no command`, 'name the plugin in exec.command');
  return command.includes('/') || command.includes(sep) ? pathFrom(file, command) : command;
}

function envOf(body: Section): Record<string, string> {
  const pairs = body.sections('env').map((pair) => [pair.text('name'), pair.text('value')] as const);
  if (pairs.some(([name]) => name === '')) {
    throw wrong(`env of ${body.where} has an element without a name`, 'name every variable');
  }
  return Object.fromEntries(pairs);
}

/** Throws BAD_KUBECONFIG for what client-go refuses as well: no command, unknown version or mode, nameless variable. */
export function decodeExec(body: Section, file: string): ExecEntry {
  const apiVersion = body.text('apiVersion');
  if (!API_VERSIONS.includes(apiVersion)) {
    throw wrong(
      `apiVersion of ${body.where} is ${JSON.stringify(apiVersion)}`,
      `update the plugin; known are ${API_VERSIONS.join(' and ')}`,
    );
  }
  return {
    apiVersion,
    command: commandOf(body, file),
    args: body.texts('args'),
    env: envOf(body),
    installHint: body.text('installHint'),
    provideClusterInfo: body.flag('provideClusterInfo'),
    interactiveMode: modeOf(body, apiVersion),
    where: body.where,
  };
}
