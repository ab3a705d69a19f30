// The TLS options of a connection: CA and client certificate as PEM text, from data or files.
import { TypedError } from '../../api/typed-error.ts';
import type { ClusterConnection } from '../connection.ts';
import type { ClusterEntry } from './cluster-entry.ts';
import type { ConnectionPorts } from './connection-ports.ts';
import { readText } from './text-file.ts';
import type { UserEntry } from './user-entry.ts';

/** Data wins over a file of the same meaning; empty when neither is given. */
async function pem(ports: ConnectionPorts, data: string, path: string, what: string): Promise<string> {
  const text = data || (path && (await readText(ports, path, what)));
  if (text === '' && path === '') return '';
  if (text.includes('-----BEGIN ')) return text;
  throw new TypedError(
    'BAD_KUBECONFIG',
    `${what}${data ? '' : `: ${path}`} holds no PEM block`,
    'it must begin with -----BEGIN; convert DER with `openssl x509 -inform der`',
  );
}

/** Throws BAD_KUBECONFIG when both verifying and not verifying are asked for, as client-go does. */
async function serverTrust(ports: ConnectionPorts, cluster: ClusterEntry): Promise<ClusterConnection['tls']> {
  const ca = await pem(
    ports,
    cluster.certificateAuthorityData,
    cluster.certificateAuthority,
    `certificate-authority of ${cluster.where}`,
  );
  if (cluster.insecureSkipTlsVerify) {
    if (ca === '') return { rejectUnauthorized: false };
    throw new TypedError(
      'BAD_KUBECONFIG',
      `${cluster.where} has a certificate-authority and insecure-skip-tls-verify`,
      'remove one of them',
    );
  }
  if (ca !== '') return { ca };
  // Node trusts the list it was built with; kubectl trusts the system's, where companies put their own CA.
  const system = await ports.systemCertificates();
  return system.length > 0 ? { ca: system } : {};
}

async function clientCertificate(
  ports: ConnectionPorts,
  user: UserEntry,
): Promise<{ cert: string; key: string } | undefined> {
  const [cert, key] = await Promise.all([
    pem(ports, user.clientCertificateData, user.clientCertificate, `client-certificate of ${user.where}`),
    pem(ports, user.clientKeyData, user.clientKey, `client-key of ${user.where}`),
  ]);
  if (cert !== '' && key !== '') return { cert, key };
  if (cert === '') return undefined; // a key alone is ignored, as in client-go
  throw new TypedError(
    'BAD_KUBECONFIG',
    `${user.where} has a client-certificate and no client-key`,
    'add client-key or client-key-data',
  );
}

/** Reads what the cluster and user name. Throws BAD_KUBECONFIG for files that cannot be read or are not PEM. */
export async function tlsMaterial(
  ports: ConnectionPorts,
  cluster: ClusterEntry,
  user: UserEntry,
): Promise<ClusterConnection['tls']> {
  const [trust, certificate] = await Promise.all([
    serverTrust(ports, cluster),
    clientCertificate(ports, user),
  ]);
  return {
    ...trust,
    ...certificate,
    ...(cluster.tlsServerName !== '' && { servername: cluster.tlsServerName }),
  };
}
