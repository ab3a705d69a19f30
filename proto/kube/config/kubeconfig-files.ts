// Loads the kubeconfigs there are.
import { resolve } from 'node:path';
import type { ConnectionPorts } from './connection-ports.ts';
import { parseKubeconfig } from './document.ts';
import type { KubeconfigPaths } from './kubeconfig-paths.ts';
import type { KubeconfigFile } from './merged-kubeconfig.ts';
import { errorCodeOf, readText } from './text-file.ts';

async function load(ports: ConnectionPorts, path: string, required: boolean): Promise<KubeconfigFile[]> {
  try {
    return [{ path, root: await parseKubeconfig(await readText(ports, path, 'kubeconfig'), path) }];
  } catch (error) {
    if (!required && error instanceof Error && errorCodeOf(error.cause) === 'ENOENT') return [];
    throw error;
  }
}

/** Missing files are skipped unless `required`; any other trouble with any file is BAD_KUBECONFIG, as in kubectl. */
export async function loadKubeconfigs(
  ports: ConnectionPorts,
  { paths, required }: KubeconfigPaths,
): Promise<KubeconfigFile[]> {
  return (await Promise.all(paths.map((path) => load(ports, resolve(path), required)))).flat();
}
