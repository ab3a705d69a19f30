// Where kubeconfigs are looked for.
import { delimiter, join } from 'node:path';
import type { ConnectionOptions } from './connection-options.ts';
import type { Environment } from './connection-ports.ts';

export interface KubeconfigPaths {
  readonly paths: readonly string[];
  /** A file named by --kubeconfig must exist; all others may be missing. */
  readonly required: boolean;
}

/** --kubeconfig, else the list in KUBECONFIG, else ~/.kube/config. */
export function kubeconfigPaths(options: ConnectionOptions, env: Environment): KubeconfigPaths {
  if (options.kubeconfig) return { paths: [options.kubeconfig], required: true };
  if (env.KUBECONFIG) {
    return { paths: [...new Set(env.KUBECONFIG.split(delimiter).filter(Boolean))], required: false };
  }
  const home = env.HOME || env.USERPROFILE;
  return { paths: home ? [join(home, '.kube', 'config')] : [], required: false };
}
