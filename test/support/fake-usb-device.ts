// USB devices for tests: what they are, and their folder in an in-memory sysfs.
import type { FunctionNode, UsbDevice } from '../../node/usb/device.ts';
import type { FakeSysfs } from './fake-sysfs.ts';

export interface FakeInterfaceSpec {
  readonly class: number;
  readonly subClass: number;
  readonly protocol: number;
}

export interface FakeUsbSpec {
  readonly vendorId: number;
  readonly productId: number;
  readonly serial?: string;
  readonly product?: string;
  /** Mb/s. */
  readonly speed: number;
  readonly deviceClass?: number;
  readonly interfaces: readonly FakeInterfaceSpec[];
  /** Partitions of its disk. */
  readonly partitions?: number;
}

export const DISK: FakeUsbSpec = {
  vendorId: 0x46f4,
  productId: 0x0001,
  serial: 'LAB0001',
  product: 'Lab storage',
  speed: 5000,
  interfaces: [{ class: 0x08, subClass: 0x06, protocol: 0x50 }],
  partitions: 1,
};

export const KEYBOARD: FakeUsbSpec = {
  vendorId: 0x0627,
  productId: 0x0001,
  serial: 'KBD1',
  speed: 480,
  interfaces: [{ class: 0x03, subClass: 0x01, protocol: 0x01 }],
};

export const MODEM: FakeUsbSpec = {
  vendorId: 0x0525,
  productId: 0xa4a7,
  serial: 'ACM1',
  speed: 480,
  deviceClass: 0x02,
  interfaces: [
    { class: 0x02, subClass: 0x02, protocol: 0x01 },
    { class: 0x0a, subClass: 0x00, protocol: 0x00 },
  ],
};

/** A smart-card reader: no driver of the kernel wants it. */
export const TOKEN: FakeUsbSpec = {
  vendorId: 0x08e6,
  productId: 0x3437,
  speed: 12,
  interfaces: [{ class: 0x0b, subClass: 0x00, protocol: 0x00 }],
};

export const HUB: FakeUsbSpec = {
  vendorId: 0x05e3,
  productId: 0x0610,
  speed: 480,
  deviceClass: 0x09,
  interfaces: [{ class: 0x09, subClass: 0x00, protocol: 0x01 }],
};

/** That many tokens with a serial each, by bus id. */
export function manyDevices(count: number): Map<string, FakeUsbSpec> {
  const specs = Array.from({ length: count }, (_, i) => ({ ...TOKEN, serial: `T${i + 1}` }));
  return new Map(specs.map((spec, i) => [`1-${i + 1}`, spec]));
}

export interface FakeInterface extends FakeInterfaceSpec {
  readonly number: number;
  authorized: boolean;
  driver?: string;
  functions: FunctionNode[];
}

export interface FakeUsbDevice {
  readonly spec: FakeUsbSpec;
  readonly busId: string;
  /** Folder of the root hub that it hangs off. */
  readonly hubPath: string;
  readonly busNumber: number;
  readonly deviceNumber: number;
  driver?: string;
  /** Empty while no configuration is set. */
  interfaces: FakeInterface[];
  /** enum usbip_device_status while usbip-host is bound. */
  stubState: number;
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const three = (number: number) => String(number).padStart(3, '0');

export function sysfsPathOf(device: FakeUsbDevice): string {
  const [bus, chain = ''] = device.busId.split('-');
  const ports = chain.split('.');
  const folders = ports.map((_, depth) => `${bus}-${ports.slice(0, depth + 1).join('.')}`);
  return [device.hubPath, ...folders].join('/');
}

/** What a reader of sysfs makes of the device. */
export function usbDeviceOf(device: FakeUsbDevice): UsbDevice {
  const { spec, busId, busNumber, deviceNumber, interfaces } = device;
  const isHub = (spec.deviceClass ?? 0) === 9;
  return {
    busId,
    sysfsPath: sysfsPathOf(device),
    portPath: `${device.hubPath.split('/').at(-2)}-${busId.split('-')[1]}`,
    busNumber,
    deviceNumber,
    vendorId: spec.vendorId,
    productId: spec.productId,
    bcdDevice: 0x0100,
    deviceClass: spec.deviceClass ?? 0,
    deviceSubClass: 0,
    deviceProtocol: 0,
    manufacturer: 'Lab',
    ...(spec.product !== undefined && { product: spec.product }),
    ...(spec.serial !== undefined && { serial: spec.serial }),
    speed: spec.speed,
    configurationValue: interfaces.length > 0 ? 1 : 0,
    configurationCount: 1,
    interfaceCount: interfaces.length,
    interfaces: interfaces.map((face) => ({
      number: face.number,
      class: face.class,
      subClass: face.subClass,
      protocol: face.protocol,
      sysfsName: `${busId}:1.${face.number}`,
      ...(face.driver !== undefined && { driver: face.driver }),
    })),
    node: {
      path: `/dev/bus/usb/${three(busNumber)}/${three(deviceNumber)}`,
      type: 'c',
      major: 189,
      minor: (busNumber - 1) * 128 + deviceNumber - 1,
    },
    descriptors: descriptorsOf(spec),
    ...(device.driver !== undefined && { driver: device.driver }),
    isHub,
    imported: device.hubPath.includes('vhci_hcd'),
    functions: interfaces.flatMap((face) => face.functions),
  };
}

export function renderUsbDevice(tree: FakeSysfs, device: FakeUsbDevice): void {
  const read = usbDeviceOf(device);
  const folder = read.sysfsPath;
  const files: Record<string, string | number> = {
    idVendor: hex(read.vendorId, 4),
    idProduct: hex(read.productId, 4),
    bcdDevice: hex(read.bcdDevice, 4),
    bDeviceClass: hex(read.deviceClass, 2),
    bDeviceSubClass: '00',
    bDeviceProtocol: '00',
    bNumConfigurations: 1,
    bNumInterfaces: read.interfaceCount > 0 ? ` ${read.interfaceCount}` : '',
    bConfigurationValue: read.interfaceCount > 0 ? 1 : '',
    speed: read.speed,
    busnum: read.busNumber,
    devnum: read.deviceNumber,
    dev: `189:${read.node.minor}`,
    manufacturer: 'Lab',
    ...(read.product !== undefined && { product: read.product }),
    ...(read.serial !== undefined && { serial: read.serial }),
    uevent: [
      'MAJOR=189',
      `MINOR=${read.node.minor}`,
      `DEVNAME=${read.node.path.slice('/dev/'.length)}`,
      'DEVTYPE=usb_device',
      ...(read.driver ? [`DRIVER=${read.driver}`] : []),
      `PRODUCT=${read.vendorId.toString(16)}/${read.productId.toString(16)}/${read.bcdDevice.toString(16)}`,
      `TYPE=${read.deviceClass}/0/0`,
      `BUSNUM=${three(read.busNumber)}`,
      `DEVNUM=${three(read.deviceNumber)}`,
    ].join('\n'),
  };
  for (const [name, content] of Object.entries(files)) tree.file(`${folder}/${name}`, content);
  tree.file(`${folder}/descriptors`, descriptorsOf(device.spec));
  tree.link(`${folder}/subsystem`, '/sys/bus/usb');
  tree.link(`/sys/bus/usb/devices/${device.busId}`, folder);
  tree.device(read.node.path, read.node.major, read.node.minor);
  if (device.driver) bindTo(tree, folder, device.driver, device.busId);
  if (device.driver === 'usbip-host') {
    tree.file(`${folder}/usbip_status`, device.stubState);
    tree.file(`${folder}/usbip_sockfd`, '');
  }
  for (const face of device.interfaces)
    renderInterface(tree, folder, `${device.busId}:1.${face.number}`, face);
}

function renderInterface(tree: FakeSysfs, parent: string, name: string, face: FakeInterface): void {
  const folder = `${parent}/${name}`;
  tree.file(`${folder}/bInterfaceNumber`, hex(face.number, 2));
  tree.file(`${folder}/bInterfaceClass`, hex(face.class, 2));
  tree.file(`${folder}/bInterfaceSubClass`, hex(face.subClass, 2));
  tree.file(`${folder}/bInterfaceProtocol`, hex(face.protocol, 2));
  tree.file(`${folder}/authorized`, face.authorized ? 1 : 0);
  tree.file(`${folder}/uevent`, 'DEVTYPE=usb_interface');
  tree.link(`${folder}/subsystem`, '/sys/bus/usb');
  tree.link(`/sys/bus/usb/devices/${name}`, folder);
  if (face.driver) bindTo(tree, folder, face.driver, name);
  for (const node of face.functions) renderFunction(tree, folder, node);
}

function renderFunction(tree: FakeSysfs, parent: string, { kind, name, node }: FunctionNode): void {
  const disk = /^(sd[a-z])\d+$/.exec(name)?.[1];
  const inner = { block: 'host0/target0:0:0/0:0:0:0', scsi_generic: 'host0/target0:0:0/0:0:0:0' }[
    kind as string
  ];
  const folder = [parent, inner, kind, disk, name].filter(Boolean).join('/');
  tree.link(`${folder}/subsystem`, `/sys/class/${kind}`);
  if (disk) tree.file(`${folder}/partition`, 1);
  if (!node) return;
  tree.file(`${folder}/dev`, `${node.major}:${node.minor}`);
  tree.file(
    `${folder}/uevent`,
    `MAJOR=${node.major}\nMINOR=${node.minor}\nDEVNAME=${node.path.slice('/dev/'.length)}`,
  );
  tree.device(node.path, node.major, node.minor);
}

function bindTo(tree: FakeSysfs, folder: string, driver: string, name: string): void {
  tree.link(`${folder}/driver`, `/sys/bus/usb/drivers/${driver}`);
  tree.link(`/sys/bus/usb/drivers/${driver}/${name}`, folder);
}

/** Device, configuration and interface descriptors (USB 2.0, 9.6). */
function descriptorsOf(spec: FakeUsbSpec): Uint8Array {
  const device = Buffer.alloc(18);
  device.set([18, 1, 0x00, 0x02, spec.deviceClass ?? 0, 0, 0, 64]);
  device.writeUInt16LE(spec.vendorId, 8);
  device.writeUInt16LE(spec.productId, 10);
  device.writeUInt16LE(0x0100, 12);
  device[17] = 1;
  const faces = spec.interfaces.map((face, number) =>
    Buffer.of(9, 4, number, 0, 0, face.class, face.subClass, face.protocol, 0),
  );
  const configuration = Buffer.of(9, 2, 0, 0, faces.length, 1, 0, 0x80, 50);
  configuration.writeUInt16LE(9 + faces.length * 9, 2);
  return Buffer.concat([device, configuration, ...faces]);
}

/** A node with the first name of its kind that none of the devices has: `sda`, `hidraw0`. */
export function freeNode(
  devices: Iterable<FakeUsbDevice>,
  kind: FunctionNode['kind'],
  prefix: string,
  type: 'c' | 'b',
  major: number,
): FunctionNode {
  const functions = [...devices].flatMap(({ interfaces }) => interfaces.flatMap((face) => face.functions));
  const taken = new Set(functions.map(({ name }) => name));
  for (let number = 0; ; number++) {
    const name = kind === 'block' ? `${prefix}${String.fromCharCode(97 + number)}` : `${prefix}${number}`;
    const minor = kind === 'block' ? number * 16 : number;
    if (!taken.has(name)) return { kind, name, node: { path: `/dev/${name}`, type, major, minor } };
  }
}
