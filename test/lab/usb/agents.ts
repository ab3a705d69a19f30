// The USB agents of the lab: the manifests of the checkout as real pods, one on each node, ready to be watched and hurt.
import type { UsbDeviceStatus, UsbNodeStatus } from '../../../proto/api/gen/usb-node-status.ts';
import { DRIVER } from '../../../proto/api/names.ts';
import type { Cluster } from '../cluster.ts';
import { CHECKOUT, NODE_JS } from '../guest-files.ts';
import { changePodSpec, fromCheckout, type Manifest } from '../manifests.ts';
import type { LabNode } from '../node.ts';
import { waitFor } from '../wait.ts';

const NAMESPACE = 'kubectl-virt';

/** Regular expression for the agent's process on a node. */
export const AGENT_PROCESS = 'main[.](ts|mjs) usb-agent';

/** What an administrator adds to the settings: links between nodes are not encrypted yet. */
function withPlainPeers(manifest: Manifest): Manifest {
  return changePodSpec(manifest, (spec) => ({
    ...spec,
    terminationGracePeriodSeconds: 5,
    containers: spec.containers.map((container) => ({
      ...container,
      args: ['usb-agent', '--allow-plain-peers', `--policy=${CHECKOUT}/test/lab/usb/rules.yaml`],
    })),
  }));
}

declare global {
  // The files of a run share the process, not their modules.
  var labAgents: Promise<void> | undefined;
}

/** Installs the agents once a run and waits until every node has a ready one. */
export async function agentsOn(cluster: Cluster): Promise<void> {
  globalThis.labAgents ??= install(cluster);
  await globalThis.labAgents;
  await agentsReady(cluster);
}

async function install(cluster: Cluster): Promise<void> {
  await cluster.applyManifests([
    'node/deploy/crds/usb-node-status.yaml',
    'node/deploy/usb-device-class.yaml',
  ]);
  await cluster.kubectl('wait', '--for=condition=Established', 'crd/usbnodestatuses.kubectl-virt.dev');
  await cluster.applyManifests(['node/deploy/usb-agent.yaml'], (manifest) =>
    withPlainPeers(fromCheckout([NODE_JS, `${CHECKOUT}/dist/virt-node/main.mjs`])(manifest)),
  );
}

interface DaemonSet {
  readonly status?: { readonly numberReady?: number };
}

export async function agentsReady(cluster: Cluster): Promise<void> {
  const ready = async () =>
    (await cluster.get<DaemonSet>('daemonset', 'usb-agent', '-n', NAMESPACE)).status?.numberReady;
  await waitFor('an agent is ready on every node', async () => (await ready()) === cluster.nodes.length, {
    timeout: 120_000,
  });
}

/** Sends a signal to the agent of a node; its container is started again by the kubelet. */
export async function signalAgent(node: LabNode, signal: 'TERM' | 'KILL' | 'STOP' | 'CONT'): Promise<void> {
  await node.ok(`kill -${signal} $(pgrep -of '${AGENT_PROCESS}')`);
}

/** Kills the agent of a node and waits until the one that replaces it serves the kubelet. */
export async function restartAgent(cluster: Cluster, node: LabNode, signal: 'TERM' | 'KILL'): Promise<void> {
  const before = await node.ok(`pgrep -of '${AGENT_PROCESS}'`);
  await signalAgent(node, signal);
  await waitFor(
    `another agent runs on ${node.name}`,
    async () => {
      const { out } = await node.sh(`pgrep -of '${AGENT_PROCESS}'`);
      return out.trim() !== '' && out.trim() !== before;
    },
    { timeout: 90_000 },
  );
  await waitFor(
    `the agent of ${node.name} is ready`,
    async () => (await node.sh('busybox wget -qO- http://127.0.0.1:51515/readyz')).code === 0,
    { timeout: 60_000 },
  );
  await agentsReady(cluster);
}

/** The last lines that the agent of a node has logged. */
export async function agentLog(cluster: Cluster, node: LabNode, lines = 100): Promise<string> {
  const where = ['-n', NAMESPACE, '-l', 'app=usb-agent', `--field-selector=spec.nodeName=${node.name}`];
  const pod = await cluster.kubectl('get', 'pods', ...where, '-o', 'name');
  return cluster.kubectl('logs', '-n', NAMESPACE, pod.trim(), `--tail=${lines}`);
}

/** The devices of a node as its USBNodeStatus says. */
export async function devicesOf(cluster: Cluster, node: string): Promise<UsbDeviceStatus[]> {
  return (await nodeStatus(cluster, node)).devices;
}

export async function nodeStatus(
  cluster: Cluster,
  node: string,
): Promise<NonNullable<UsbNodeStatus['status']>> {
  const { status } = await cluster.get<UsbNodeStatus>('usbnodestatus', node);
  if (!status) throw new Error(`USBNodeStatus ${node} has no status`);
  return status;
}

/** Waits until the device with a serial is listed for a node, and returns it. */
export async function listed(cluster: Cluster, node: string, serial: string): Promise<UsbDeviceStatus> {
  return waitFor(
    `${serial} is listed on ${node}`,
    async () => (await devicesOf(cluster, node)).find((device) => device.serial === serial),
    { interval: 50 },
  );
}

/** Waits until a device is offered in a ResourceSlice. */
export async function offered(cluster: Cluster, name: string): Promise<void> {
  interface Slices {
    readonly items: { readonly spec: { readonly driver: string; readonly devices?: { name: string }[] } }[];
  }
  await waitFor(
    `${name} is in a ResourceSlice`,
    async () => {
      const { items } = await cluster.get<Slices>('resourceslices');
      return items.some(
        ({ spec }) => spec.driver === DRIVER && spec.devices?.some((device) => device.name === name),
      );
    },
    { interval: 50 },
  );
}
