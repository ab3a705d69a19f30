// Reads what the cluster knows about USB devices; what a person may not read is left out with a note.
import type { ResourceClaim } from '../../proto/api/resource.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { UsbNodeStatus } from '../../proto/api/usb-node-status.ts';
import type { KubeClient, KubeObject, ListResult, ResourceType } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { NodeObject, UsbFacts } from './facts.ts';

export interface UsbCollections {
  readonly statuses: ListResult<UsbNodeStatus>;
  readonly claims?: ListResult<ResourceClaim> | undefined;
  /** Where `claims` come from: one namespace when this person may not list those of all. */
  readonly claimsOf?: string | undefined;
  readonly nodes?: ListResult<NodeObject> | undefined;
  /** Sentences about what could not be read. */
  readonly notes: readonly string[];
}

/** `namespace` is where claims are looked for when those of all namespaces may not be listed. */
export async function readFacts(kube: KubeClient, namespace?: string): Promise<UsbCollections> {
  const [statuses, everywhere, nodes] = await Promise.all([
    readStatuses(kube),
    optional<ResourceClaim>(kube, RESOURCE_TYPES.resourceClaims),
    optional<NodeObject>(kube, RESOURCE_TYPES.nodes),
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
  return { statuses, claims, claimsOf: narrowed ? namespace : undefined, nodes, notes };
}

export function factsOf({ statuses, claims, nodes }: UsbCollections): UsbFacts {
  return { statuses: statuses.items, claims: claims?.items, nodes: nodes?.items };
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

/** Undefined when it is forbidden, or when the server is too old to have the kind. */
async function optional<T extends KubeObject>(
  kube: KubeClient,
  type: ResourceType,
  namespace?: string,
): Promise<ListResult<T> | undefined> {
  try {
    return await kube.list<T>(type, namespace === undefined ? {} : { namespace });
  } catch (error) {
    if (error instanceof TypedError && (error.code === 'FORBIDDEN' || error.code === 'API_NOT_SERVED'))
      return undefined;
    throw error;
  }
}
