// Lets host drivers have the interfaces of a device, or takes them away.
import type { UsbDevice, UsbInterface } from './device.ts';
import type { SysfsTree } from './sysfs-tree.ts';

const USB = '/sys/bus/usb';

/** Makes every interface claimable through usbfs; on its own this binds no driver (message.c, usb_authorize_interface). */
export async function authorizeInterfaces(tree: SysfsTree, device: UsbDevice): Promise<void> {
  for (const { sysfsName } of device.interfaces) {
    const file = `${USB}/devices/${sysfsName}/authorized`;
    if (tree.readText(file)?.trim() === '0') await tree.write(file, '1');
  }
}

/** Authorises every interface and lets the kernel look for its driver; those that have one keep it. */
export async function bindInterfaces(tree: SysfsTree, device: UsbDevice): Promise<void> {
  await authorizeInterfaces(tree, device);
  for (const { sysfsName } of device.interfaces) {
    const folder = `${USB}/devices/${sysfsName}`;
    // Asked anew each time: the driver of one interface may have taken the next too (cdc_acm does).
    if (tree.exists(`${folder}/driver`) || !tree.exists(folder)) continue;
    await tree.write(`${USB}/drivers_probe`, sysfsName);
  }
}

/**
 * Takes every interface from its driver and leaves it claimable. Through the driver's `unbind` and not through
 * `authorized`: 0 there also marks the interface for rebinding, and then a reset by the container would bring the host
 * driver back (driver.c, usb_forced_unbind_intf and usb_unbind_and_rebind_marked_interfaces).
 */
export async function unbindInterfaces(tree: SysfsTree, device: UsbDevice): Promise<void> {
  for (const face of device.interfaces) await unbind(tree, face);
  await authorizeInterfaces(tree, device);
}

async function unbind(tree: SysfsTree, { sysfsName }: UsbInterface): Promise<void> {
  const link = `${USB}/devices/${sysfsName}/driver`;
  const driver = tree.resolve(link)?.split('/').pop();
  if (!driver) return;
  await tree.write(`${USB}/drivers/${driver}/unbind`, sysfsName).catch((error: unknown) => {
    // A driver that had several interfaces has let go of all of them with the first.
    if (tree.exists(link)) throw error;
  });
}
