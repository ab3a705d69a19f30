// Events of what drivers make of USB devices: disks, serial ports, network interfaces. Pure.
import type { Uevent } from '../netlink/uevent.ts';

const SUBSYSTEMS = new Set(['block', 'scsi_generic', 'hidraw', 'tty', 'usbmisc', 'input', 'net']);

/** A node of pods has many events of virtual network interfaces and volumes; only what hangs off a USB bus counts. */
export function isDriverNodeEvent({ devpath, env: { SUBSYSTEM = '' } }: Uevent): boolean {
  return SUBSYSTEMS.has(SUBSYSTEM) && /\/usb\d+\//.test(devpath);
}
