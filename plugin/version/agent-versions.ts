// Which versions of the agent run in the cluster, and whether they fit this program.
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';

export interface AgentVersion {
  readonly gitVersion: string;
  readonly nodes: readonly string[];
}

/** By version, with the names of the nodes; nodes that have not reported are left out. */
export function agentVersions(statuses: readonly UsbNodeStatus[]): AgentVersion[] {
  const nodes = new Map<string, string[]>();
  for (const { metadata, status } of statuses) {
    if (!status) continue;
    const version = withV(status.agentVersion);
    nodes.set(version, [...(nodes.get(version) ?? []), metadata.name]);
  }
  return [...nodes]
    .map(([gitVersion, names]) => ({ gitVersion, nodes: names.sort() }))
    .sort((a, b) => (a.gitVersion < b.gitVersion ? -1 : 1));
}

/** A sentence when an agent differs from this program in more than the patch number. */
export function skewWarning(client: string, agents: readonly AgentVersion[]): string | undefined {
  const others = agents.filter(({ gitVersion }) => minorOf(gitVersion) !== minorOf(client));
  if (others.length === 0) return undefined;
  const list = others.map(({ gitVersion }) => gitVersion).join(', ');
  return `this program is ${client} and agents are ${list}: what one of them knows the other may not show`;
}

function withV(version: string): string {
  return version.startsWith('v') ? version : `v${version}`;
}

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
