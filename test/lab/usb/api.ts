// The lab's API server by the project's own client: for what is timed, because starting kubectl takes longer than that.
import type { KubeClient } from '../../../proto/kube/client.ts';
import { hostPorts } from '../../../proto/kube/config/host-ports.ts';
import { resolveConnection } from '../../../proto/kube/config/resolve-connection.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import type { Cluster } from '../cluster.ts';

/** Signed in as admin. Close it when done. */
export async function apiOf(cluster: Cluster): Promise<KubeClient> {
  return createKubeClient(await resolveConnection({ kubeconfig: cluster.kubeconfig }, {}, hostPorts()));
}
