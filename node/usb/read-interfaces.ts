// The interfaces of a device: from its descriptors, with what the interface folders say about drivers.
import { attributesOf } from './attributes.ts';
import { type Descriptors, defaultConfiguration, type InterfaceDescriptor } from './descriptors.ts';
import type { UsbInterface } from './device.ts';
import type { SysfsTree } from './sysfs-tree.ts';

export interface ReadInterfaces {
  /** 0 when no configuration is set. */
  readonly configurationValue: number;
  readonly interfaces: readonly UsbInterface[];
  /** Resolved folders of those that the kernel has made. */
  readonly folders: readonly string[];
}

/**
 * Of the configuration in use, else (usbip-host sets none) of the one that the kernel would choose. Classes are those of
 * alternate setting 0 at any time; the interface folders show the current one, which a driver may have changed (uas).
 * The configuration is told by the names of the folders, because bConfigurationValue waits for the device's lock, which
 * is held through a reset (usb_actconfig_show, drivers/usb/core/sysfs.c).
 */
export function readInterfaces(
  tree: SysfsTree,
  folder: string,
  busId: string,
  descriptors: Descriptors,
): ReadInterfaces {
  const names = tree.list(folder).filter((name) => name.startsWith(`${busId}:`));
  const configurationValue = Number(/:(\d{1,3})\./.exec(names[0] ?? '')?.[1] ?? 0);
  const configuration =
    names.length > 0
      ? descriptors.configurations.find(({ value }) => value === configurationValue)
      : defaultConfiguration(descriptors);
  const described =
    configuration?.interfaces ?? names.flatMap((name) => fromFolder(tree, `${folder}/${name}`));
  return {
    configurationValue,
    interfaces: described.map((face) => {
      const sysfsName = `${busId}:${configuration?.value ?? configurationValue}.${face.number}`;
      const driver = tree.resolve(`${folder}/${sysfsName}/driver`)?.split('/').pop();
      return { ...face, sysfsName, ...(driver !== undefined && { driver }) };
    }),
    folders: names.map((name) => `${folder}/${name}`),
  };
}

function fromFolder(tree: SysfsTree, folder: string): InterfaceDescriptor[] {
  const { hex } = attributesOf(tree, folder);
  const number = hex('bInterfaceNumber', 0xff);
  const code = hex('bInterfaceClass', 0xff);
  const subClass = hex('bInterfaceSubClass', 0xff);
  const protocol = hex('bInterfaceProtocol', 0xff);
  if (number === undefined || code === undefined || subClass === undefined || protocol === undefined)
    return [];
  return [{ number, class: code, subClass, protocol }];
}
