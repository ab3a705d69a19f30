// The USB controllers of the lab: the manifests of the checkout as real pods, with the admission policies in force.
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import { FREE_CLAIMS_LABEL } from '../../../proto/api/names.ts';
import type { Cluster } from '../cluster.ts';
import { CHECKOUT, NODE_JS } from '../guest-files.ts';
import { fromCheckout } from '../manifests.ts';
import { agentsOn } from '../usb/agents.ts';
import { waitFor } from '../wait.ts';

const NAMESPACE = 'kubectl-virt';
const CRDS = ['nodeusbdevices', 'usbdevices', 'virtualmachines'].map(
  (plural) => `crd/${plural}.virtualization.deckhouse.io`,
);

declare global {
  // The files of a run share the process, not their modules.
  var labControllers: Promise<void> | undefined;
}

/** Installs agents, controllers and policies once a run and waits until both replicas are ready. */
export async function controllersOn(cluster: Cluster): Promise<void> {
  await agentsOn(cluster);
  globalThis.labControllers ??= install(cluster);
  await globalThis.labControllers;
  await controllersReady(cluster);
}

async function install(cluster: Cluster): Promise<void> {
  // Tests of other groups make claims by hand in this namespace.
  await cluster.kubectl('label', 'namespace', 'default', `${FREE_CLAIMS_LABEL}=true`, '--overwrite');
  await cluster.applyManifests([
    'node/deploy/crds/node-usb-device.yaml',
    'node/deploy/crds/usb-device.yaml',
    'test/lab/controller/virtual-machine-crd.yaml',
  ]);
  await cluster.kubectl('wait', '--for=condition=Established', ...CRDS);
  await cluster.applyManifests(
    ['node/deploy/usb-admission.yaml', 'node/deploy/usb-controller.yaml'],
    fromCheckout([NODE_JS, `${CHECKOUT}/dist/virt-node/main.mjs`]),
  );
}

interface Deployment {
  readonly status?: { readonly readyReplicas?: number };
}

export async function controllersReady(cluster: Cluster): Promise<void> {
  const ready = async () =>
    (await cluster.get<Deployment>('deployment', 'usb-controller', '-n', NAMESPACE)).status?.readyReplicas;
  await waitFor('both controllers are ready', async () => (await ready()) === 2, { timeout: 120_000 });
}

interface Lease {
  readonly spec: { readonly holderIdentity?: string };
}

/** Identity of the replica that writes, `<pod>_<process>`; '' while there is none. */
export async function leader(cluster: Cluster): Promise<string> {
  const { spec } = await cluster.get<Lease>('lease', 'usb-controller', '-n', NAMESPACE);
  return spec.holderIdentity ?? '';
}

/** Kills the pod that writes without a word; another is made in its place. */
export async function killLeader(cluster: Cluster): Promise<void> {
  const [name = ''] = (await leader(cluster)).split('_');
  await cluster.kubectl(
    'delete',
    'pod',
    name,
    '-n',
    NAMESPACE,
    '--grace-period=0',
    '--force',
    '--ignore-not-found',
  );
}

/** `Ready/Reason` of a condition of a NodeUSBDevice, or undefined while there is none. */
export async function conditionOf(
  cluster: Cluster,
  device: string,
  type: string,
): Promise<string | undefined> {
  const { out, code } = await cluster.tryKubectl(['get', 'nodeusbdevice', device, '-o', 'json']);
  if (code !== 0) return undefined;
  const { status } = JSON.parse(out) as NodeUsbDevice;
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found && `${found.status}/${found.reason}`;
}

/** Waits until conditions of a NodeUSBDevice are as given, e.g. `{ Ready: 'True/Ready' }`. */
export async function conditions(
  cluster: Cluster,
  device: string,
  wanted: Readonly<Record<string, string>>,
  timeout = 60_000,
): Promise<void> {
  const types = Object.keys(wanted);
  await waitFor(
    `${device} is ${JSON.stringify(wanted)}`,
    async () => {
      const now = await Promise.all(types.map((type) => conditionOf(cluster, device, type)));
      if (types.every((type, i) => now[i] === wanted[type])) return true;
      throw new Error(types.map((type, i) => `${type} ${now[i]}`).join(', '));
    },
    { timeout, interval: 100 },
  );
}
