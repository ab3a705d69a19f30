// From kubectl's flags, the environment and the kubeconfigs to one connection.
import { TypedError } from '../../api/typed-error.ts';
import type { ClusterConnection } from '../connection.ts';
import { decodeCluster } from './cluster-entry.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { ConnectionPorts, Environment } from './connection-ports.ts';
import { fixedCredential } from './credential-source.ts';
import { overrideCluster, overrideUser } from './flag-overrides.ts';
import { impersonationHeaders } from './impersonation.ts';
import { loadKubeconfigs } from './kubeconfig-files.ts';
import { type KubeconfigPaths, kubeconfigPaths } from './kubeconfig-paths.ts';
import { loadedNamespace } from './loaded-namespace.ts';
import { mergeKubeconfigs } from './merged-kubeconfig.ts';
import { chooseProxy } from './proxy-choice.ts';
import { serverUrl } from './server-url.ts';
import { findServiceAccount } from './service-account.ts';
import { signIn } from './sign-in.ts';
import { namesTarget, selectTarget, type Target } from './target.ts';
import { tlsMaterial } from './tls-material.ts';
import { decodeUser } from './user-entry.ts';

/**
 * Reads no more than the chosen context needs and starts no plugin: that happens in `credentials()`. Rejects with
 * BAD_KUBECONFIG; `credentials()` rejects with BAD_KUBECONFIG (token file) or EXEC_CREDENTIAL (plugin).
 */
export async function resolveConnection(
  options: ConnectionOptions,
  env: Environment,
  ports: ConnectionPorts,
): Promise<ClusterConnection> {
  const target = await findTarget(options, env, ports);
  const chosen = overrideCluster(target.cluster, options);
  const cluster = { ...chosen, server: serverUrl(chosen.server, chosen.where) };
  return connectionOf({ ...target, cluster, user: overrideUser(target.user, options) }, options, env, ports);
}

/** The kubeconfigs come first; a pod's service account serves when they and the flags choose nothing. */
async function findTarget(
  options: ConnectionOptions,
  env: Environment,
  ports: ConnectionPorts,
): Promise<Target> {
  const places = kubeconfigPaths(options, env);
  const files = await loadKubeconfigs(ports, places);
  const config = mergeKubeconfigs(files);
  // Whoever names a file wants that file: the service account must not stand in for an empty one.
  if (places.required || namesTarget(config, options)) return selectTarget(config, options);
  const account = await findServiceAccount(env, ports);
  if (account) {
    return {
      cluster: decodeCluster(account.cluster),
      user: decodeUser(account.user),
      namespace: '',
      source: "the pod's service account",
    };
  }
  if (files.length === 0) throw nothingFound(places);
  return selectTarget(config, options);
}

function nothingFound({ paths }: KubeconfigPaths): TypedError {
  return new TypedError(
    'BAD_KUBECONFIG',
    `there is no kubeconfig (looked for ${paths.join(', ') || 'a home folder'})`,
    'give --kubeconfig or set KUBECONFIG',
  );
}

/** Everything that can be wrong is found here, before the first request, but for what tokens and plugins bring. */
async function connectionOf(
  { cluster, user, namespace, source }: Target,
  options: ConnectionOptions,
  env: Environment,
  ports: ConnectionPorts,
): Promise<ClusterConnection> {
  // Without TLS anyone on the way could read a credential, so kubectl sends none; neither do we.
  const secure = cluster.server.startsWith('https:');
  const tls = secure ? await tlsMaterial(ports, cluster, user) : {};
  const seen = { entry: cluster, certificateAuthority: typeof tls.ca === 'string' ? tls.ca : '' };
  const identity = secure ? signIn(user, seen, env, ports) : fixedCredential({});
  const impersonation = impersonationHeaders(user);
  const proxy = chooseProxy(cluster.server, cluster.proxyUrl, env);
  return {
    server: cluster.server,
    tls,
    ...(proxy !== undefined && { proxy }),
    namespace: await loadedNamespace(options.namespace, namespace, env, ports),
    source,
    async credentials() {
      const { authorization, cert, key } = await identity.current();
      return {
        headers: { ...(authorization !== undefined && { Authorization: authorization }), ...impersonation },
        ...(cert !== undefined && key !== undefined && { cert, key }),
      };
    },
    invalidate: () => identity.invalidate(),
  };
}
