// The ExecCredential object: what a credential plugin is told and what it answers
// (client.authentication.k8s.io/v1 and v1beta1, which differ in the name only).
import { TypedError } from '../../api/typed-error.ts';
import { bearerToken } from './bearer-token.ts';
import type { ClusterEntry } from './cluster-entry.ts';
import type { Credential } from './credential-source.ts';
import type { ExecEntry } from './exec-entry.ts';

/** The server as a plugin sees it: after the flags, with the CA as PEM text. */
export interface PluginCluster {
  readonly entry: ClusterEntry;
  readonly certificateAuthority: string;
}

/** Empty members are left out, as Go does. */
function clusterInfo({ entry, certificateAuthority }: PluginCluster): object {
  return {
    server: entry.server,
    ...(entry.tlsServerName && { 'tls-server-name': entry.tlsServerName }),
    ...(entry.insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(certificateAuthority && {
      'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
    }),
    ...(entry.proxyUrl && { 'proxy-url': entry.proxyUrl }),
    ...(entry.disableCompression && { 'disable-compression': true }),
    config: entry.execConfig ?? null,
  };
}

/** Text for KUBERNETES_EXEC_INFO. */
export function encodeExecInfo(exec: ExecEntry, interactive: boolean, cluster: PluginCluster): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: { ...(exec.provideClusterInfo && { cluster: clusterInfo(cluster) }), interactive },
  });
}

export interface PluginCredential extends Credential {
  /** Milliseconds since the epoch; infinite when the plugin sets no end. */
  readonly expires: number;
}

interface Reply {
  kind?: unknown;
  apiVersion?: unknown;
  status?: Record<string, unknown> | null;
}

function parseReply(text: string): Reply | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Throws EXEC_CREDENTIAL for any answer without a usable token or a whole certificate. Never quotes the answer. */
export function decodeExecCredential(stdout: string, exec: ExecEntry): PluginCredential {
  const wrong = (problem: string, hint: string) =>
    new TypedError('EXEC_CREDENTIAL', `the answer of credential plugin ${exec.command} ${problem}`, hint);
  const reply = parseReply(stdout);
  if (reply?.kind !== 'ExecCredential') {
    throw wrong(
      'is not an ExecCredential in JSON',
      'run the plugin by hand: it may print something else first',
    );
  }
  if (reply.apiVersion !== exec.apiVersion) {
    throw wrong(
      `is of version ${JSON.stringify(reply.apiVersion)}, not ${exec.apiVersion}`,
      `correct apiVersion of ${exec.where}, or update the plugin`,
    );
  }
  const status = reply.status ?? {};
  const text = (key: string): string => {
    const value = status[key] ?? '';
    if (typeof value === 'string') return value;
    throw wrong(`has a ${key} that is not text`, 'update the plugin');
  };
  const [token, cert, key] = [text('token'), text('clientCertificateData'), text('clientKeyData')];
  if ((cert === '') !== (key === '')) throw wrong('holds a certificate or a key only', 'update the plugin');
  if (token === '' && cert === '') throw wrong('holds neither a token nor a certificate', 'sign in again');
  const end = text('expirationTimestamp');
  const expires = end === '' ? Number.POSITIVE_INFINITY : Date.parse(end);
  if (Number.isNaN(expires)) throw wrong('has an expirationTimestamp that is no time', 'update the plugin');
  return {
    ...(token !== '' && { authorization: bearerToken(token, `plugin ${exec.command}`, 'EXEC_CREDENTIAL') }),
    ...(cert !== '' && { cert, key }),
    expires,
  };
}
