// Whether a kernel event may change what is known of USB devices. Pure.
import type { Uevent } from '../netlink/uevent.ts';

/** Subsystems of the nodes that drivers make below USB devices. */
const FUNCTIONS = new Set(['block', 'scsi_generic', 'hidraw', 'tty', 'usbmisc', 'input', 'net']);

/** A node of pods has many events of virtual network interfaces and volumes; only what hangs off a USB bus counts. */
export function concernsUsb({ devpath, env: { SUBSYSTEM = '' } }: Uevent): boolean {
  return SUBSYSTEM === 'usb' || (FUNCTIONS.has(SUBSYSTEM) && /\/usb\d+\//.test(devpath));
}
