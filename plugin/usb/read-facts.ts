// Reads what the cluster knows about USB devices; what a person may not read is left out with a note.
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import type { ResourceClaim } from '../../proto/api/resource.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';
import type { KubeClient, KubeObject, ListResult, ResourceType } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { NodeObject, UsbFacts } from './facts.ts';

/** The kinds that assignment and virtual machines are made of. */
export type ApiKind = 'nodeUsbDevices' | 'usbDevices' | 'virtualMachines';

export interface UsbCollections {
  readonly statuses: ListResult<UsbNodeStatus>;
  readonly claims?: ListResult<ResourceClaim> | undefined;
  /** Where `claims` come from: one namespace when this person may not list those of all. */
  readonly claimsOf?: string | undefined;
  readonly nodes?: ListResult<NodeObject> | undefined;
  readonly nodeUsbDevices?: ListResult<NodeUsbDevice> | undefined;
  readonly usbDevices?: ListResult<UsbDevice> | undefined;
  readonly vms?: ListResult<VirtualMachine> | undefined;
  /** Where `usbDevices` and `vms` come from; undefined: all namespaces. */
  readonly devicesOf?: string | undefined;
  /** Why one of these kinds is missing above: FORBIDDEN or API_NOT_SERVED. */
  readonly refusals: ReadonlyMap<ApiKind, TypedError>;
  /** Sentences about what could not be read. */
  readonly notes: readonly string[];
}

/**
 * All lists side by side. `namespace` is where USBDevices and VMs are looked for, and claims when those of all
 * namespaces may not be listed. No note tells of NodeUSBDevices, USBDevices and VMs that are forbidden: the server
 * refuses them with the same words in a cluster that does not have them.
 */
export async function readFacts(kube: KubeClient, namespace?: string): Promise<UsbCollections> {
  const refusals = new Map<ApiKind, TypedError>();
  const ofKind = <T extends KubeObject>(kind: ApiKind, place?: string) =>
    optional<T>(kube, RESOURCE_TYPES[kind], place, (error) => refusals.set(kind, error));
  const [statuses, everywhere, nodes, nodeUsbDevices, usbDevices, vms] = await Promise.all([
    readStatuses(kube),
    optional<ResourceClaim>(kube, RESOURCE_TYPES.resourceClaims),
    optional<NodeObject>(kube, RESOURCE_TYPES.nodes),
    ofKind<NodeUsbDevice>('nodeUsbDevices'),
    ofKind<UsbDevice>('usbDevices', namespace),
    ofKind<VirtualMachine>('virtualMachines', namespace),
  ]);
  const narrowed = !everywhere && namespace !== undefined;
  const claims = narrowed
    ? await optional<ResourceClaim>(kube, RESOURCE_TYPES.resourceClaims, namespace)
    : everywhere;
  const notes: string[] = [];
  if (!claims)
    notes.push('resource claims cannot be listed: a device that is claimed but not attached looks free');
  else if (narrowed) notes.push(`only resource claims of namespace ${namespace} can be listed`);
  if (!nodes) notes.push('nodes cannot be listed: whether they are ready is not known');
  const claimsOf = narrowed ? namespace : undefined;
  const devices = { nodeUsbDevices, usbDevices, vms, devicesOf: namespace, refusals };
  return { statuses, claims, claimsOf, nodes, ...devices, notes };
}

export function factsOf(collections: UsbCollections): UsbFacts {
  const { statuses, claims, nodes, nodeUsbDevices, usbDevices, vms } = collections;
  return {
    statuses: statuses.items,
    claims: claims?.items,
    nodes: nodes?.items,
    nodeUsbDevices: nodeUsbDevices?.items,
    usbDevices: usbDevices?.items,
    vms: vms?.items,
  };
}

async function readStatuses(kube: KubeClient): Promise<ListResult<UsbNodeStatus>> {
  try {
    return await kube.list<UsbNodeStatus>(RESOURCE_TYPES.usbNodeStatuses);
  } catch (error) {
    if (!(error instanceof TypedError) || error.code !== 'API_NOT_SERVED') throw error;
    throw new TypedError(
      'API_NOT_SERVED',
      'this cluster does not know USBNodeStatus objects (usbnodestatuses.kubectl-virt.dev)',
      'install virt-node, which brings their definition, or choose another cluster with --context',
      { cause: error },
    );
  }
}

/** Undefined, and told to `refused`, when it is forbidden or when the server does not have the kind. */
async function optional<T extends KubeObject>(
  kube: KubeClient,
  type: ResourceType,
  namespace?: string,
  refused?: (error: TypedError) => void,
): Promise<ListResult<T> | undefined> {
  try {
    return await kube.list<T>(type, namespace === undefined ? {} : { namespace });
  } catch (error) {
    if (!(error instanceof TypedError) || !(error.code === 'FORBIDDEN' || error.code === 'API_NOT_SERVED'))
      throw error;
    refused?.(error);
    return undefined;
  }
}
