// Candidates that only the cluster knows.
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import type { CallOptions, KubeClient, KubeObject, ResourceType } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { Candidate } from './candidate.ts';

export type ClusterKind = 'device' | 'vm' | 'namespace' | 'node';

interface VmObject extends KubeObject {
  status?: { phase?: string; nodeName?: string };
}

/**
 * `typed` is the beginning of the word, `namespace` that of the command line. Rejects as the client does; a kind that is
 * not served is API_NOT_SERVED.
 */
export async function clusterNames(
  kind: ClusterKind,
  kube: KubeClient,
  { typed, namespace }: { readonly typed: string; readonly namespace: string | undefined },
  call: CallOptions,
): Promise<Candidate[]> {
  switch (kind) {
    case 'device':
      return deviceNames(
        (await kube.list<UsbNodeStatus>(RESOURCE_TYPES.usbNodeStatuses, {}, call)).items,
        typed,
      );
    case 'vm': {
      const place = namespace === undefined ? {} : { namespace };
      const { items } = await kube.list<VmObject>(RESOURCE_TYPES.virtualMachines, place, call);
      return items.map((vm) => vmName(vm, namespace));
    }
    case 'namespace':
      return plainNames(kube, RESOURCE_TYPES.namespaces, call);
    case 'node':
      return plainNames(kube, RESOURCE_TYPES.nodes, call);
  }
}

async function plainNames(kube: KubeClient, type: ResourceType, call: CallOptions): Promise<Candidate[]> {
  const { items } = await kube.list(type, {}, call);
  return items.map(({ metadata }) => ({ value: metadata.name ?? '', about: '' }));
}

/** Names; once something is typed, also the other words that mean a device and need no quotes. */
function deviceNames(statuses: readonly UsbNodeStatus[], typed: string): Candidate[] {
  return statuses.flatMap(({ metadata, status }) =>
    (status?.devices ?? []).flatMap((device) => {
      const product = device.product || `${device.vendorID}:${device.productID}`;
      const words = typed === '' ? [] : [`${metadata.name}/${device.busID}`, device.serial ?? ''];
      return [device.name, ...words.filter((word) => /^[\w./-]+$/.test(word))].map((value) => ({
        value,
        about: `${product} on ${metadata.name}`,
      }));
    }),
  );
}

/** Without a namespace the name says it itself: `web.shop`. */
function vmName({ metadata, status }: VmObject, namespace: string | undefined): Candidate {
  const value = namespace === undefined ? `${metadata.name}.${metadata.namespace}` : (metadata.name ?? '');
  return { value, about: [status?.phase, status?.nodeName].filter(Boolean).join(' on ') };
}
