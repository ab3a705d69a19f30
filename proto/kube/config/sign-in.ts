// Chooses how requests are signed in.
import { TypedError } from '../../api/typed-error.ts';
import { bearerToken } from './bearer-token.ts';
import type { ConnectionPorts, Environment } from './connection-ports.ts';
import { type CredentialSource, fixedCredential } from './credential-source.ts';
import type { PluginCluster } from './exec-credential.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { TokenFile } from './token-file.ts';
import type { UserEntry } from './user-entry.ts';

/** RFC 7617 with UTF-8, which is what Go sends. */
function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** client-go refuses two ways to sign in as well: nobody could say which one the server saw. */
function refuseUnusable(user: UserEntry): void {
  if (user.authProvider !== '') {
    throw new TypedError(
      'BAD_KUBECONFIG',
      `${user.where} uses auth provider ${JSON.stringify(user.authProvider)}`,
      'use an exec plugin instead, for OIDC for example `kubectl oidc-login`',
    );
  }
  if (user.token !== '' && (user.username !== '' || user.password !== '')) {
    throw new TypedError('BAD_KUBECONFIG', `${user.where} has a token and a password`, 'remove one of them');
  }
}

/** True when something fixed signs in already; client-go does not run the plugin then. */
function hasFixedSignIn(user: UserEntry): boolean {
  const { token, tokenFile, username, password, clientCertificate, clientCertificateData } = user;
  return [token, tokenFile, username, password, clientCertificate, clientCertificateData].some(Boolean);
}

/** Throws BAD_KUBECONFIG for auth providers, contradicting entries and tokens that no header may hold. */
export function signIn(
  user: UserEntry,
  cluster: PluginCluster,
  env: Environment,
  ports: ConnectionPorts,
): CredentialSource {
  refuseUnusable(user);
  if (user.exec && !hasFixedSignIn(user)) return new ExecPlugin(ports, env, user.exec, cluster);
  if (user.tokenFile !== '') return new TokenFile(ports, user.tokenFile, user.where, user.token);
  if (user.token !== '') {
    return fixedCredential({ authorization: bearerToken(user.token, user.where, 'BAD_KUBECONFIG') });
  }
  const named = user.username !== '' || user.password !== '';
  return fixedCredential(named ? { authorization: basic(user.username, user.password) } : {});
}
