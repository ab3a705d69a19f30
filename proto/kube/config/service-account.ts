// The identity that Kubernetes gives to a pod, for programs that run in the cluster.
import type { ConnectionPorts, Environment } from './connection-ports.ts';
import type { Entry } from './merged-kubeconfig.ts';
import { Section } from './section.ts';

/** Where the kubelet mounts the token volume of every pod that does not opt out. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A pod's service account as cluster and user of a kubeconfig, so that the flags work the same on it. */
export interface ServiceAccount {
  readonly cluster: Entry;
  readonly user: Entry;
}

/** The kubelet sets both variables in every container. */
function apiServer(env: Environment): string | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return undefined;
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function textIfThere(ports: ConnectionPorts, path: string): Promise<string> {
  return ports.readFile(path).then(
    (text) => text.trim(),
    () => '',
  );
}

/** Undefined outside a cluster and in pods without a mounted token. */
export async function findServiceAccount(
  env: Environment,
  ports: ConnectionPorts,
): Promise<ServiceAccount | undefined> {
  const server = apiServer(env);
  if (server === undefined || (await textIfThere(ports, `${FOLDER}/token`)) === '') return undefined;
  const entry = (values: object): Entry => ({
    body: new Section(values, "the pod's service account"),
    file: `${FOLDER}/token`,
  });
  return {
    cluster: entry({ server, 'certificate-authority': 'ca.crt' }),
    user: entry({ tokenFile: 'token' }),
  };
}

/** Namespace of the pod; empty outside a cluster. POD_NAMESPACE comes first, as in client-go. */
export async function podNamespace(env: Environment, ports: ConnectionPorts): Promise<string> {
  if (apiServer(env) === undefined) return '';
  return env.POD_NAMESPACE || (await textIfThere(ports, `${FOLDER}/namespace`));
}
