// One USB device from its sysfs folder. Tolerant: what is missing or garbled is left out, and only what nobody can do
// without makes the device unreadable.
import { type Attributes, attributesOf } from './attributes.ts';
import { cleanText } from './clean-text.ts';
import { type Descriptors, parseDescriptors } from './descriptors.ts';
import type { DeviceNode, UsbDevice } from './device.ts';
import { functionNodes } from './function-nodes.ts';
import { isImportedPath } from './imported-path.ts';
import { readInterfaces } from './read-interfaces.ts';
import type { SysfsTree } from './sysfs-tree.ts';

export const USB_DEVICES = '/sys/bus/usb/devices';

/** A device that was skipped, or kept without what the reason names. */
export interface ReadProblem {
  readonly busId: string;
  readonly reason: string;
}

export interface ReadOptions {
  /** The same device as read before: its strings are kept, because reading them waits for the device's lock. */
  readonly former?: UsbDevice | undefined;
  readonly onProblem?: (problem: ReadProblem) => void;
}

/** USB_DEVICE_MAJOR; 128 minors a bus (usb_new_device, drivers/usb/core/hub.c). */
const USB_MAJOR = 189;
const MINORS = 128;
const HUB_CLASS = 9;

/** The device at a bus id such as `3-2.1`; undefined when it is gone or unreadable (then a problem says why). */
export function readUsbDevice(
  tree: SysfsTree,
  busId: string,
  options: ReadOptions = {},
): UsbDevice | undefined {
  const onProblem = (reason: string) => options.onProblem?.({ busId, reason });
  try {
    const folder = tree.resolve(`${USB_DEVICES}/${busId}`);
    if (folder === undefined) return undefined;
    const attributes = attributesOf(tree, folder);
    const plugged = attributes.text('devnum');
    const device = read(tree, busId, folder, attributes, options.former, onProblem);
    // Unplugged while it was read, or another one came into its port: half of each would be no device.
    return attributes.text('devnum') === plugged ? device : undefined;
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function read(
  tree: SysfsTree,
  busId: string,
  folder: string,
  attributes: Attributes,
  former: UsbDevice | undefined,
  onProblem: (reason: string) => void,
): UsbDevice | undefined {
  const { text, hex, decimal } = attributes;
  const descriptors = tree.readBytes(`${folder}/descriptors`);
  const described = parseDescriptors(descriptors ?? new Uint8Array());
  const vendorId = hex('idVendor', 0xffff) ?? described.device?.vendorId;
  const productId = hex('idProduct', 0xffff) ?? described.device?.productId;
  const busNumber = decimal('busnum', 0xffff) ?? Number.parseInt(busId, 10);
  const deviceNumber = decimal('devnum', MINORS) ?? ueventNumber(text('uevent'), 'DEVNUM');
  if (vendorId === undefined || productId === undefined || !deviceNumber) {
    if (tree.exists(folder)) onProblem('idVendor, idProduct or devnum is missing or garbled');
    return undefined;
  }
  const speed = speedOf(text('speed'));
  if (speed === 0) onProblem('speed is missing or garbled');
  if (!described.device) onProblem('descriptors are missing or garbled');
  const { configurationValue, interfaces, folders } = readInterfaces(tree, folder, busId, described);
  const driver = tree.resolve(`${folder}/driver`)?.split('/').pop();
  const codes = classCodes(attributes, described);
  return {
    busId,
    sysfsPath: folder,
    portPath: portPathOf(folder, busId),
    busNumber,
    deviceNumber,
    vendorId,
    productId,
    bcdDevice: hex('bcdDevice', 0xffff) ?? described.device?.bcdDevice ?? 0,
    ...codes,
    ...(isSame(former, folder, deviceNumber, descriptors) ? stringsOf(former) : readStrings(tree, folder)),
    speed,
    configurationValue,
    configurationCount:
      decimal('bNumConfigurations', 0xff) ??
      described.device?.configurationCount ??
      described.configurations.length,
    interfaceCount: interfaces.length,
    interfaces,
    node: usbfsNode(busNumber, deviceNumber),
    ...(descriptors && descriptors.length > 0 && { descriptors }),
    ...(driver !== undefined && { driver }),
    isHub: codes.deviceClass === HUB_CLASS,
    imported: isImportedPath(folder),
    functions: folders.flatMap((face) => functionNodes(tree, face)),
  };
}

function ueventNumber(uevent: string | undefined, name: string): number | undefined {
  const digits = new RegExp(`^${name}=(\\d{1,5})$`, 'm').exec(uevent ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Mb/s, with a fraction for low speed only; 0 when the kernel does not know it either (`unknown`). */
function speedOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,6}(\.\d)?$/.test(text) ? Number(text) : 0;
}

function classCodes({ hex }: Attributes, { device }: Descriptors) {
  return {
    deviceClass: hex('bDeviceClass', 0xff) ?? device?.class ?? 0,
    deviceSubClass: hex('bDeviceSubClass', 0xff) ?? device?.subClass ?? 0,
    deviceProtocol: hex('bDeviceProtocol', 0xff) ?? device?.protocol ?? 0,
  };
}

/** `0000:00:14.0-3.1`: the folder above the root hub, and the chain of ports. */
function portPathOf(folder: string, busId: string): string {
  const [bus = '', chain = ''] = busId.split('-');
  const parts = folder.split('/');
  return `${parts[parts.indexOf(`usb${bus}`) - 1] ?? `usb${bus}`}-${chain}`;
}

type Strings = Pick<UsbDevice, 'manufacturer' | 'product' | 'serial'>;

/** Device numbers go up with every plugging, so an equal one in an equal port means the device that was there. */
function isSame(
  former: UsbDevice | undefined,
  folder: string,
  deviceNumber: number,
  descriptors: Uint8Array | undefined,
): former is UsbDevice {
  return (
    former?.sysfsPath === folder &&
    former.deviceNumber === deviceNumber &&
    Buffer.compare(former.descriptors ?? Buffer.of(), descriptors ?? Buffer.of()) === 0
  );
}

function stringsOf({ manufacturer, product, serial }: Strings): Strings {
  return {
    ...(manufacturer !== undefined && { manufacturer }),
    ...(product !== undefined && { product }),
    ...(serial !== undefined && { serial }),
  };
}

function readStrings(tree: SysfsTree, folder: string): Strings {
  const [manufacturer, product, serial] = ['manufacturer', 'product', 'serial'].map((file) => {
    const bytes = tree.readBytes(`${folder}/${file}`);
    return bytes && cleanText(bytes);
  });
  return stringsOf({
    ...(manufacturer !== undefined && { manufacturer }),
    ...(product !== undefined && { product }),
    ...(serial !== undefined && { serial }),
  });
}

function usbfsNode(busNumber: number, deviceNumber: number): DeviceNode {
  const three = (number: number) => String(number).padStart(3, '0');
  return {
    path: `/dev/bus/usb/${three(busNumber)}/${three(deviceNumber)}`,
    type: 'c',
    major: USB_MAJOR,
    minor: (busNumber - 1) * MINORS + deviceNumber - 1,
  };
}
