// What the flags change in the chosen cluster and user; the rules are those of kubectl.
import type { ClusterEntry } from './cluster-entry.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { UserEntry } from './user-entry.ts';

/**
 * A CA flag and --insecure-skip-tls-verify each replace how the server was to be verified. --server drops the
 * TLS name of the kubeconfig, because that name belongs to the server of the kubeconfig.
 */
export function overrideCluster(cluster: ClusterEntry, options: ConnectionOptions): ClusterEntry {
  return {
    ...cluster,
    ...(options.server && { server: options.server, tlsServerName: '' }),
    ...(options.tlsServerName && { tlsServerName: options.tlsServerName }),
    ...((options.insecureSkipTlsVerify || options.certificateAuthority) && {
      insecureSkipTlsVerify: options.insecureSkipTlsVerify ?? false,
      certificateAuthority: options.certificateAuthority ?? '',
      certificateAuthorityData: '',
    }),
    ...(options.proxyUrl && { proxyUrl: options.proxyUrl }),
  };
}

/** --token replaces every other way to sign in but the client certificate, which belongs to the TLS layer. */
export function overrideUser(user: UserEntry, options: ConnectionOptions): UserEntry {
  const { exec, ...rest } = user;
  return {
    ...rest,
    ...(options.token
      ? { token: options.token, tokenFile: '', username: '', password: '', authProvider: '' }
      : exec !== undefined && { exec }),
    ...(options.clientCertificate && {
      clientCertificate: options.clientCertificate,
      clientCertificateData: '',
    }),
    ...(options.clientKey && { clientKey: options.clientKey, clientKeyData: '' }),
    ...(options.as && { as: options.as }),
    ...(options.asUid && { asUid: options.asUid }),
    ...(options.asGroup?.length && { asGroups: options.asGroup }),
  };
}
