// The namespace of commands without -n.
import type { ConnectionPorts, Environment } from './connection-ports.ts';
import { podNamespace } from './service-account.ts';

/** The flag, else the context's, else that of the pod this runs in, else `default`. Empty counts as not given. */
export async function loadedNamespace(
  flag: string | undefined,
  ofContext: string,
  env: Environment,
  ports: ConnectionPorts,
): Promise<string> {
  return flag || ofContext || (await podNamespace(env, ports)) || 'default';
}
