// What a ResourceClaim asks of this driver: checks the claim and picks our part of its allocation. Pure.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { CLAIM_ANNOTATIONS, DRIVER } from '../../proto/api/names.ts';
import type { ResourceClaim } from '../../proto/api/resource.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { accessMode } from './access-config.ts';
import type { AccessMode } from './device-access.ts';
import { type DeviceOwner, deviceOwner } from './device-owner.ts';

export interface WantedDevice {
  readonly requests: readonly string[];
  readonly pool: string;
  readonly device: string;
  readonly mode: AccessMode;
  readonly shareId?: string;
}

export interface ClaimRequest {
  readonly claim: ObjectRef;
  /** Empty when all devices of the claim belong to other drivers. */
  readonly devices: readonly WantedDevice[];
  readonly owner: DeviceOwner;
  /** What Prepare wrote earlier, if it did. */
  readonly addresses: string | undefined;
}

function wantedDevices(claim: ResourceClaim): WantedDevice[] {
  const { results = [], config = [] } = claim.status?.allocation?.devices ?? {};
  const wanted = new Map<string, WantedDevice>();
  for (const { driver, pool, device, request, shareID } of results) {
    if (driver !== DRIVER) continue;
    const key = `${pool}/${device}`;
    const mode = accessMode(config, request);
    const former = wanted.get(key);
    if (former && former.mode !== mode) {
      throw new TypedError(
        'BAD_INPUT',
        `the requests for device ${device} of pool ${pool} want different access modes`,
        'give all of them the same mode',
      );
    }
    wanted.set(key, {
      // The kubelet knows requests by their first part only.
      requests: [...new Set([...(former?.requests ?? []), request.split('/')[0] ?? request])],
      pool,
      device,
      mode,
      ...(shareID !== undefined && { shareId: shareID }),
    });
  }
  return [...wanted.values()];
}

/**
 * `ref` is what the kubelet named, `claim` what the API server has under that name. Throws CLAIM_REPLACED,
 * CLAIM_NOT_ALLOCATED, or BAD_INPUT for configuration and annotations that are not understood.
 */
export function readClaimRequest(claim: ResourceClaim, ref: ObjectRef): ClaimRequest {
  const name = `claim ${ref.namespace}/${ref.name}`;
  if (claim.metadata.uid !== ref.uid) {
    throw new TypedError(
      'CLAIM_REPLACED',
      `${name} was deleted and made again: its uid is ${claim.metadata.uid}, not ${ref.uid}`,
      'delete the pod that still refers to the former claim',
    );
  }
  if (!claim.status?.allocation) {
    throw new TypedError(
      'CLAIM_NOT_ALLOCATED',
      `${name} has no device allocated`,
      'the scheduler allocates it when the pod is placed',
    );
  }
  return {
    claim: ref,
    devices: wantedDevices(claim),
    owner: deviceOwner(claim.metadata.annotations),
    addresses: claim.metadata.annotations?.[CLAIM_ANNOTATIONS.deviceAddresses],
  };
}
