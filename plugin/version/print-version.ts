// kubectl virt version.
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import { formatDocument } from '../output/document.ts';
import { safeText } from '../output/safe-text.ts';
import type { Arguments } from '../run/arguments.ts';
import { CLIENT_VERSION } from '../run/client-version.ts';
import type { Host } from '../run/host.ts';
import { type AgentVersion, agentVersions, skewWarning } from './agent-versions.ts';

/** In the shape of `kubectl version -o json`, with the agents added. */
interface Versions {
  readonly clientVersion: { readonly gitVersion: string; readonly platform: string };
  readonly serverVersion?: { readonly gitVersion: string };
  /** Undefined when this cluster has none, or they may not be listed. */
  readonly agentVersions?: readonly AgentVersion[] | undefined;
}

/** A cluster that is away is an error, as with kubectl; `--client` asks nobody. */
export async function printVersion(args: Arguments, host: Host): Promise<number> {
  const clientVersion = { gitVersion: CLIENT_VERSION, platform: `${process.platform}/${process.arch}` };
  const versions = args.isOn('client') ? { clientVersion } : await askCluster(args, host, clientVersion);
  const format = args.text('output');
  if (format === 'json' || format === 'yaml') host.stdout.write(await formatDocument(versions, format));
  else host.stdout.write(versionText(versions, args.isOn('client')));
  const warning = skewWarning(CLIENT_VERSION, versions.agentVersions ?? []);
  if (warning) host.stderr.write(`warning: ${warning}\n`);
  return 0;
}

async function askCluster(
  args: Arguments,
  host: Host,
  clientVersion: Versions['clientVersion'],
): Promise<Versions> {
  const kube = await host.connect(args);
  try {
    const [answer, agents] = await Promise.all([kube.getRaw('/version'), readAgents(kube)]);
    return { clientVersion, serverVersion: { gitVersion: gitVersionOf(answer) }, agentVersions: agents };
  } finally {
    kube.close();
  }
}

/** Without agents the versions of client and server are still of use. */
async function readAgents(kube: KubeClient): Promise<AgentVersion[] | undefined> {
  try {
    return agentVersions((await kube.list<UsbNodeStatus>(RESOURCE_TYPES.usbNodeStatuses)).items);
  } catch (error) {
    if (error instanceof TypedError && (error.code === 'API_NOT_SERVED' || error.code === 'FORBIDDEN'))
      return undefined;
    throw error;
  }
}

function gitVersionOf(answer: unknown): string {
  const version =
    typeof answer === 'object' && answer !== null && 'gitVersion' in answer ? answer.gitVersion : '';
  return typeof version === 'string' && version !== '' ? version : 'unknown';
}

function versionText(
  { clientVersion, serverVersion, agentVersions: agents }: Versions,
  clientOnly: boolean,
): string {
  const lines = [`Client Version: ${clientVersion.gitVersion}`];
  if (serverVersion) lines.push(`Server Version: ${serverVersion.gitVersion}`);
  if (!clientOnly && !agents)
    lines.push('Agent Version: unknown (not installed, or USBNodeStatus objects cannot be listed)');
  if (agents?.length === 0) lines.push('Agent Version: none has reported yet');
  for (const { gitVersion, nodes } of agents ?? []) {
    lines.push(`Agent Version: ${gitVersion} (${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'})`);
  }
  return `${lines.map(safeText).join('\n')}\n`;
}
