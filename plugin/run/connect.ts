// From the connection flags of a command to a client of its cluster.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import type { ConnectionOptions } from '../../proto/kube/config/connection-options.ts';
import { hostPorts } from '../../proto/kube/config/host-ports.ts';
import { loadKubeconfigs } from '../../proto/kube/config/kubeconfig-files.ts';
import { kubeconfigPaths } from '../../proto/kube/config/kubeconfig-paths.ts';
import { mergeKubeconfigs } from '../../proto/kube/config/merged-kubeconfig.ts';
import { pluginRunner } from '../../proto/kube/config/plugin-process.ts';
import { resolveConnection } from '../../proto/kube/config/resolve-connection.ts';
import { createKubeClient } from '../../proto/kube/rest/kube-client.ts';
import type { Arguments } from './arguments.ts';
import { CallClient } from './call-client.ts';
import { CLIENT_VERSION } from './client-version.ts';
import { parseDuration } from './duration.ts';

/** Longest that setTimeout takes (milliseconds): 24 days, for `--request-timeout=0`. */
const NO_LIMIT = 2 ** 31 - 1;

const USER_AGENT = { userAgent: `kubectl-virt/${CLIENT_VERSION}` };

/** The level of kubectl at which it prints each request. */
const REQUEST_LEVEL = 6;

/** `log` takes whole lines. Rejects with BAD_KUBECONFIG and USAGE; no request is made yet. */
export async function connect(
  args: Arguments,
  env: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<KubeClient> {
  const limit = args.text('request-timeout');
  const level = logLevel(args.text('v') ?? '0');
  const timeout = limit === undefined ? undefined : parseDuration('request-timeout', limit) || NO_LIMIT;
  const connection = await resolveConnection(connectionOptions(args), env, hostPorts());
  const client = createKubeClient(connection, USER_AGENT);
  // The common case pays for neither.
  if (level < REQUEST_LEVEL && timeout === undefined) return client;
  if (level >= REQUEST_LEVEL) log(`Using ${connection.source}\n`);
  return new CallClient(client, {
    ...(timeout === undefined ? {} : { timeout: Math.min(timeout, NO_LIMIT) }),
    ...(level < REQUEST_LEVEL ? {} : { log, server: connection.server }),
  });
}

/** The namespace that a command without -n means. Reads files and asks nobody. */
export async function namespaceOf(args: Arguments, env: NodeJS.ProcessEnv): Promise<string> {
  const given = args.text('namespace');
  return given ?? (await resolveConnection(connectionOptions(args), env, hostPorts())).namespace;
}

/** As `connect`, but a credential plugin gets no terminal, and what it says gets lost: a shell waits for words. */
export async function connectUnattended(args: Arguments, env: NodeJS.ProcessEnv): Promise<KubeClient> {
  const silent = { write: () => true };
  const ports = { ...hostPorts(), runPlugin: pluginRunner(silent), stdinIsTerminal: false };
  return createKubeClient(await resolveConnection(connectionOptions(args), env, ports), USER_AGENT);
}

/** Rejects with BAD_KUBECONFIG. */
export async function contextNames(args: Arguments, env: NodeJS.ProcessEnv): Promise<string[]> {
  const paths = kubeconfigPaths(connectionOptions(args), env);
  return [...mergeKubeconfigs(await loadKubeconfigs(hostPorts(), paths)).contexts.keys()];
}

function logLevel(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new TypedError('USAGE', `--v cannot be ${JSON.stringify(text)}`, 'it is a number, e.g. -v 6');
}

/** Absent rather than empty: an empty flag must not hide what the kubeconfig says. */
function connectionOptions(args: Arguments): ConnectionOptions {
  const texts = {
    kubeconfig: args.text('kubeconfig'),
    context: args.text('context'),
    cluster: args.text('cluster'),
    user: args.text('user'),
    namespace: args.text('namespace'),
    server: args.text('server'),
    token: args.text('token'),
    as: args.text('as'),
    asUid: args.text('as-uid'),
    tlsServerName: args.text('tls-server-name'),
    certificateAuthority: args.text('certificate-authority'),
    clientCertificate: args.text('client-certificate'),
    clientKey: args.text('client-key'),
    proxyUrl: args.text('proxy-url'),
  };
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return {
    ...given,
    asGroup: args.texts('as-group'),
    ...(args.isOn('insecure-skip-tls-verify') ? { insecureSkipTlsVerify: true } : {}),
  };
}
