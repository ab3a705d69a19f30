// Whether a peer may have a device: a claim on it must belong to a pod on the peer's node. Pure.
import type { UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { Grant } from '../usbip/grants.ts';
import type { ClaimUse } from './claim-use.ts';
import { checkOffered } from './offer.ts';

/** Where a pod runs. */
export interface PodPlace {
  readonly node: string;
  /** Addresses in the status of that Node. */
  readonly addresses: readonly string[];
}

/** An IPv4 peer of a dual-stack socket appears as ::ffff:a.b.c.d (RFC 4291, 2.5.5.2). */
export function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
}

function refuse(device: UsbDeviceStatus, why: string): TypedError {
  return new TypedError('NOT_GRANTED', `device ${device.name} (${device.busID}): ${why}`);
}

/**
 * `claims` have the device allocated; `places` tells where their pods run, by uid, as far as they run. Throws
 * DEVICE_BLOCKED when the policy keeps the device from the claim's namespace, else NOT_GRANTED with the reason.
 */
export function judgeGrant(
  device: UsbDeviceStatus,
  claims: readonly ClaimUse[],
  places: ReadonlyMap<string, PodPlace>,
  peer: string,
): Grant {
  const address = plainAddress(peer);
  let why = 'no claim has it allocated';
  for (const { claim, pods } of claims) {
    checkOffered(device, claim.namespace);
    const name = `claim ${claim.namespace}/${claim.name}`;
    why = `${name}, which has it, is reserved for no pod that runs`;
    for (const pod of pods) {
      const place = places.get(pod.uid);
      if (!place) continue;
      if (place.addresses.some((known) => plainAddress(known) === address)) {
        return { device: device.name, claim, node: place.node };
      }
      why = `${name}, which has it, is used on node ${place.node}, and that is not ${address}`;
    }
  }
  throw refuse(device, why);
}
