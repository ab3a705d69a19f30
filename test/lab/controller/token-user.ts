// Accounts of the cluster as kubectl uses them: with a token of a pod, as the pod itself has it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../cluster.ts';

interface PodList {
  readonly items: { readonly metadata: { readonly name: string; readonly uid: string } }[];
}

/** Kubeconfig file of the agent on a node, with a token bound to its pod. */
export async function agentUser(cluster: Cluster, node: string): Promise<string> {
  const where = ['-n', 'kubectl-virt', '-l', 'app=usb-agent', `--field-selector=spec.nodeName=${node}`];
  const { items } = await cluster.get<PodList>('pods', ...where);
  const pod = items[0]?.metadata;
  if (!pod) throw new Error(`there is no agent on ${node}`);
  const bound = [
    '--bound-object-kind=Pod',
    `--bound-object-name=${pod.name}`,
    `--bound-object-uid=${pod.uid}`,
  ];
  const token = await cluster.kubectl('create', 'token', 'usb-agent', '-n', 'kubectl-virt', ...bound);
  return writeTokenConfig(cluster, `agent-${node}`, token.trim());
}

/** Kubeconfig file of a service account, with a token that is bound to no pod. */
export async function accountUser(cluster: Cluster, name: string): Promise<string> {
  const token = await cluster.kubectl('create', 'token', name, '-n', 'kubectl-virt');
  return writeTokenConfig(cluster, name, token.trim());
}

function writeTokenConfig(cluster: Cluster, name: string, token: string): string {
  const config = JSON.parse(readFileSync(cluster.kubeconfig, 'utf8')) as { users: { user: object }[] };
  const file = join(cluster.folder, `${name}.kubeconfig`);
  const users = config.users.map((entry) => ({ ...entry, user: { token } }));
  writeFileSync(file, JSON.stringify({ ...config, users }), { mode: 0o600 });
  return file;
}
