// Where an allocated device is: in this node's inventory, or behind the exporter of the node that publishes it.
import type { UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';
import { DRIVER, NODE_ANNOTATIONS } from '../../proto/api/names.ts';
import type { ResourceSlice } from '../../proto/api/resource.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { ClaimRequest, WantedDevice } from './claim-request.ts';
import type { DeviceTarget } from './device-access.ts';
import { targetOf } from './device-attributes.ts';
import type { LocalDevices } from './local-devices.ts';
import { checkOffered } from './offer.ts';
import { type PeerAddress, parsePeerAddress } from './peer-address.ts';

/** A device and how it is wanted. */
export interface Located {
  readonly wanted: WantedDevice;
  readonly target: DeviceTarget;
}

function notFound(device: string, pool: string): TypedError {
  return new TypedError(
    'DEVICE_NOT_FOUND',
    `device ${device} is not plugged into node ${pool} any more`,
    'plug it in again, or delete the pod to free the claim',
  );
}

function localPart(status: UsbDeviceStatus): Omit<DeviceTarget, 'claim' | 'device' | 'pool'> {
  return {
    busId: status.busID,
    vendorId: Number.parseInt(status.vendorID, 16),
    productId: Number.parseInt(status.productID, 16),
    ...(status.serial !== undefined && { serial: status.serial }),
    fingerprint: status.fingerprint,
  };
}

/** Slices of a former generation may linger while a pool is rewritten; they do not count. */
function newestGeneration(slices: readonly ResourceSlice[], pool: string): ResourceSlice[] {
  const ofPool = slices.filter((slice) => slice.spec.driver === DRIVER && slice.spec.pool.name === pool);
  const newest = Math.max(...ofPool.map((slice) => slice.spec.pool.generation));
  return ofPool.filter((slice) => slice.spec.pool.generation === newest);
}

export class DeviceLocator {
  readonly #kube: KubeClient;
  readonly #nodeName: string;
  readonly #local: LocalDevices;

  constructor(kube: KubeClient, nodeName: string, local: LocalDevices) {
    this.#kube = kube;
    this.#nodeName = nodeName;
    this.#local = local;
  }

  /**
   * Rejects with DEVICE_NOT_FOUND, DEVICE_BLOCKED (a device of this node that its policy refuses), PEER_UNREACHABLE
   * (the owner has no exporter) and with what the API server answers.
   */
  async locate({ claim, devices }: ClaimRequest, signal: AbortSignal): Promise<Located[]> {
    let slices: Promise<ResourceSlice[]> | undefined;
    // All reads at once: the kubelet waits, and so does the start of the pod.
    return Promise.all(
      devices.map(async (wanted) => {
        const { pool, device } = wanted;
        if (pool === this.#nodeName) {
          const status = await this.#local.judge(device);
          if (!status) throw notFound(device, pool);
          checkOffered(status, claim.namespace);
          return { wanted, target: { claim, device, pool, ...localPart(status) } };
        }
        slices ??= this.#slices(signal);
        const [found, peer] = await Promise.all([slices, this.#peer(pool, signal)]);
        const published = newestGeneration(found, pool)
          .flatMap((slice) => slice.spec.devices ?? [])
          .find((candidate) => candidate.name === device);
        const part = published && targetOf(published);
        if (!part) throw notFound(device, pool);
        return { wanted, target: { claim, device, pool, ...part, peer } };
      }),
    );
  }

  async #slices(signal: AbortSignal): Promise<ResourceSlice[]> {
    const options = { fieldSelector: `spec.driver=${DRIVER}` };
    const { items } = await this.#kube.list<ResourceSlice>(RESOURCE_TYPES.resourceSlices, options, {
      signal,
    });
    return items;
  }

  async #peer(nodeName: string, signal: AbortSignal): Promise<PeerAddress> {
    const node = await this.#kube.get<KubeObject>(RESOURCE_TYPES.nodes, { name: nodeName }, { signal });
    const text = node.metadata.annotations?.[NODE_ANNOTATIONS.address];
    const address = text === undefined ? undefined : parsePeerAddress(text);
    if (address) return address;
    throw new TypedError(
      'PEER_UNREACHABLE',
      text === undefined
        ? `node ${nodeName} does not export its devices`
        : `node ${nodeName} has the exporter address ${JSON.stringify(text)}`,
      `see that the USB agent runs on ${nodeName} and that export is turned on there`,
    );
  }
}
