// What the cluster says about USB devices, as the pure modules of this folder take it.
import type { ObjectMeta, ResourceClaim } from '../../proto/api/resource.ts';
import type { UsbNodeStatus } from '../../proto/api/usb-node-status.ts';

/** The core v1 Node, as far as it is read. */
export interface NodeObject {
  metadata: ObjectMeta;
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

/** `claims` and `nodes` are undefined when this person may not list them. */
export interface UsbFacts {
  readonly statuses: readonly UsbNodeStatus[];
  readonly claims?: readonly ResourceClaim[] | undefined;
  readonly nodes?: readonly NodeObject[] | undefined;
}
