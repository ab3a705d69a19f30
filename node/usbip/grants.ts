// The port that the exporter asks before it hands a device to a peer.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';

export interface Peer {
  /** IP address of the connection's other end. */
  readonly address: string;
}

export interface Grant {
  /** Name of the device in the ResourceSlice. */
  readonly device: string;
  readonly claim?: ObjectRef;
  /** Node name of the peer. */
  readonly node?: string;
}

export interface Grants {
  /** Rejects with TypedError NOT_GRANTED (no claim of a pod on the peer's node) or DEVICE_BLOCKED. May take a second. */
  check(busId: string, peer: Peer): Promise<Grant>;
  /** Rejects with DEVICE_BUSY when a pod of this node has the device. Asked while nobody else can take it. */
  assertFree(grant: Grant): Promise<void>;
  /** The bus ids that this peer may import now. */
  list(peer: Peer): Promise<readonly string[]>;
}
