// The port between the DRA driver (which claims) and the host (which makes a device usable and frees it again).
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import type { DeviceNode } from '../usb/device.ts';

/**
 * `usbfs`: no host driver on the interfaces, only the usbfs node is given (what VMs need).
 * `driver`: host drivers bind, and their block, sg, hidraw and tty nodes are given too.
 */
export type AccessMode = 'usbfs' | 'driver';

/** The device that a claim got, as its owner published it, and where its owner exports it. */
export interface DeviceTarget {
  readonly claim: ObjectRef;
  /** Name in the ResourceSlice. */
  readonly device: string;
  /** Node that the device is plugged into. */
  readonly pool: string;
  /** On its own node. */
  readonly busId: string;
  readonly vendorId: number;
  readonly productId: number;
  readonly serial?: string;
  readonly fingerprint?: string;
  /** Exporter of the owner; absent when the device is plugged into this node. */
  readonly peer?: { readonly host: string; readonly port: number };
}

/** What to undo: written to the checkpoint before the kernel is touched, so plain JSON. */
export type Attachment =
  | {
      readonly kind: 'local';
      readonly mode: AccessMode;
      readonly busId: string;
      /** busnum << 16 | devnum: another device in the same port has another, and belongs to somebody else. */
      readonly devid: number;
    }
  | {
      readonly kind: 'import';
      readonly mode: AccessMode;
      /** vhci port; with `devid` it says whether the port still holds this import. */
      readonly port: number;
      /** busnum << 16 | devnum on the owner. */
      readonly devid: number;
      readonly peer: string;
      readonly remoteBusId: string;
      /** uid of the claim: a later import of the same device into the same port belongs to somebody else. */
      readonly claim?: string;
    };

/** A device ready for a container. */
export interface UsableDevice {
  /** On this node. */
  readonly busId: string;
  readonly busNumber: number;
  readonly deviceNumber: number;
  /** The usbfs node first. */
  readonly nodes: readonly DeviceNode[];
}

export interface DeviceAccess {
  /**
   * Makes the device usable. `record` is awaited before the kernel is changed, so that a crash at any later point
   * can be undone from what it stored. On failure everything is undone before the promise rejects with TypedError
   * (DEVICE_NOT_FOUND, DEVICE_BUSY, DEVICE_CHANGED, NO_FREE_PORT, PEER_UNREACHABLE, PEER_REFUSED,
   * KEYBOARD_NEEDS_USBFS, TIMED_OUT, KERNEL).
   */
  attach(
    target: DeviceTarget,
    mode: AccessMode,
    record: (attachment: Attachment) => Promise<void>,
    signal: AbortSignal,
  ): Promise<UsableDevice>;
  /** The device of an attachment as it is now; undefined when the kernel has it no more. */
  inspect(attachment: Attachment, mode: AccessMode): UsableDevice | undefined;
  /** The attachment of a device that is known by its usbfs node only; undefined when no device has that node. */
  find(usbfsNode: string): Attachment | undefined;
  /** Frees it. Touches this node only, waits until the kernel has let go, succeeds when it is gone already. */
  release(attachment: Attachment): Promise<void>;
}
