// The reference from an object to the one that controls it. Pure.
import { NODE_USB_DEVICE, USB_DEVICE } from '../../proto/api/names.ts';
import type { ObjectMeta } from '../../proto/api/resource.ts';

export type OwnerReference = NonNullable<ObjectMeta['ownerReferences']>[number];

const KINDS = { nodeUsbDevices: NODE_USB_DEVICE, usbDevices: USB_DEVICE };

export type OwnerKind = keyof typeof KINDS;

/** Without blockOwnerDeletion, which would need the right to write finalizers of the owner. */
export function ownerReference(owner: OwnerKind, name: string, uid: string): OwnerReference {
  const { group, version, kind } = KINDS[owner];
  return { apiVersion: `${group}/${version}`, kind, name, uid, controller: true };
}
