// Whether a kernel event may change what is known of this node's USB devices. Pure.
import type { Uevent } from '../netlink/uevent.ts';
import { isDriverNodeEvent } from './driver-node-event.ts';
import { isImportedPath } from './imported-path.ts';

/** What is imported is another node's: a scan for it would only keep the kernel from enumerating it. */
export function concernsUsb(event: Uevent): boolean {
  if (isImportedPath(event.devpath)) return false;
  return event.env.SUBSYSTEM === 'usb' || isDriverNodeEvent(event);
}
