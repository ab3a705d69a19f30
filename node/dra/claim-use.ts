// The few fields of a ResourceClaim that say which of the driver's devices it has, and for which pods. Pure.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { DRIVER } from '../../proto/api/names.ts';
import type { ResourceClaim } from '../../proto/api/resource.ts';

export interface ClaimUse {
  readonly claim: ObjectRef;
  /** Empty for claims of other drivers. */
  readonly devices: readonly { readonly pool: string; readonly device: string }[];
  /** Pods of the claim's namespace that may use it. */
  readonly pods: readonly ObjectRef[];
}

/** For `reflect`: whole claims are not kept. */
export function claimUse({ metadata, status }: ResourceClaim): ClaimUse {
  const { namespace = '', name = '', uid = '' } = metadata;
  const results = status?.allocation?.devices?.results ?? [];
  return {
    claim: { namespace, name, uid },
    devices: results
      .filter((result) => result.driver === DRIVER)
      .map(({ pool, device }) => ({ pool, device })),
    pods: (status?.reservedFor ?? [])
      .filter(({ apiGroup = '', resource }) => apiGroup === '' && resource === 'pods')
      .map((pod) => ({ namespace, name: pod.name, uid: pod.uid })),
  };
}
