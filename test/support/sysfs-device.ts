// The files that a kernel shows for a USB device: its folder, interfaces, drivers, nodes, and the links to them. A list,
// so that it can be put into a memory tree (`add`) or a real folder (`writeTree`), and taken out again.
import { file, link, type TreeFile } from './tree-file.ts';
import { buildDescriptors } from './usb-descriptors.ts';
import {
  PCI_CONTROLLER,
  type UsbDeviceSpec,
  type UsbFunctionSpec,
  type UsbInterfaceSpec,
} from './usb-spec.ts';

const USB = '/sys/bus/usb';

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const three = (number: number) => String(number).padStart(3, '0');

/** Resolved folder of the device. */
export function sysfsPathOf({ busId, controller = PCI_CONTROLLER }: UsbDeviceSpec): string {
  const [bus = '', chain = ''] = busId.split('-');
  const ports = chain.split('.');
  const folders = ports.map((_, depth) => `${bus}-${ports.slice(0, depth + 1).join('.')}`);
  return [controller, `usb${bus}`, ...folders].join('/');
}

/** The folder of USB devices, what is mounted (nothing on USB), and the root hubs of the buses. */
export function hostFiles(buses: readonly number[], controller = PCI_CONTROLLER): TreeFile[] {
  return [
    { path: `${USB}/devices`, kind: 'dir' },
    { path: '/dev/bus/usb', kind: 'dir' },
    ...mountFiles([]),
    ...buses.flatMap((bus) => rootHubFiles(bus, controller)),
  ];
}

/** Lines of mountinfo for `[device, source, mount point]`, e.g. `['8:1', '/dev/sda1', '/mnt']`; and the swap areas. */
export function mountFiles(
  mounts: readonly (readonly [device: string, source: string, point: string])[],
  swaps: readonly string[] = [],
): TreeFile[] {
  const lines = [['259:2', '/dev/nvme0n1p2', '/'], ...mounts].map(
    ([device, source, point], index) =>
      `${30 + index} 1 ${device} / ${point} rw shared:1 - ext4 ${source} rw`,
  );
  const title = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority';
  return [
    file('/proc/1/mountinfo', lines.join('\n')),
    file('/proc/swaps', [title, ...swaps.map((path) => `${path}   partition\t1048572\t0\t-2`)].join('\n')),
  ];
}

function rootHubFiles(bus: number, controller: string): TreeFile[] {
  const folder = `${controller}/usb${bus}`;
  const files = {
    idVendor: '1d6b',
    idProduct: '0002',
    busnum: bus,
    devnum: 1,
    speed: 480,
    bDeviceClass: '09',
  };
  return [
    ...Object.entries(files).map(([name, content]) => file(`${folder}/${name}`, content)),
    file(`${folder}/${bus}-0:1.0/bInterfaceClass`, '09'),
    link(`${folder}/subsystem`, USB),
    link(`${USB}/devices/usb${bus}`, folder),
    link(`${USB}/devices/${bus}-0:1.0`, `${folder}/${bus}-0:1.0`),
    { path: `/dev/bus/usb/${three(bus)}/001`, kind: 'device', major: 189, minor: (bus - 1) * 128 },
  ];
}

/** In the order in which the kernel makes them, the links to the device last. */
export function usbDeviceFiles(spec: UsbDeviceSpec): TreeFile[] {
  const { busId, driver = 'usb' } = spec;
  const folder = sysfsPathOf(spec);
  const configuration = driver === 'usb' ? spec.configurations[0] : undefined;
  const faces = configuration?.interfaces ?? [];
  const faceName = (number: number) => `${busId}:${configuration?.value}.${number}`;
  return [
    ...deviceAttributes(spec, folder, configuration?.value, faces.length),
    ...faces.flatMap((face, number) => interfaceFiles(spec, face, number, `${folder}/${faceName(number)}`)),
    ...driverLinks(folder, driver),
    ...faces.map((_, number) => link(`${USB}/devices/${faceName(number)}`, `${folder}/${faceName(number)}`)),
    usbfsNode(spec),
    link(`${USB}/devices/${busId}`, folder),
  ];
}

/** What goes when it is unplugged. */
export function usbDevicePaths(spec: UsbDeviceSpec): string[] {
  const outside = usbDeviceFiles(spec).filter(({ path }) => !path.startsWith(`${sysfsPathOf(spec)}/`));
  return [...outside.map(({ path }) => path), sysfsPathOf(spec)];
}

function usbfsNode({ busId, deviceNumber }: UsbDeviceSpec): TreeFile & { kind: 'device' } {
  const bus = Number.parseInt(busId, 10);
  const path = `/dev/bus/usb/${three(bus)}/${three(deviceNumber)}`;
  return { path, kind: 'device', major: 189, minor: (bus - 1) * 128 + deviceNumber - 1 };
}

/** Decimal and hexadecimal, blanks and empty texts as the kernel prints them (drivers/usb/core/sysfs.c). */
function deviceAttributes(
  spec: UsbDeviceSpec,
  folder: string,
  configurationValue: number | undefined,
  interfaceCount: number,
): TreeFile[] {
  const {
    busId,
    deviceNumber,
    bcdDevice = 0x0100,
    deviceClass = 0,
    deviceSubClass = 0,
    deviceProtocol = 0,
  } = spec;
  const bus = Number.parseInt(busId, 10);
  const node = usbfsNode(spec);
  const configured = configurationValue !== undefined;
  const files: Record<string, string | number | undefined> = {
    idVendor: hex(spec.vendorId, 4),
    idProduct: hex(spec.productId, 4),
    bcdDevice: hex(bcdDevice, 4),
    bDeviceClass: hex(deviceClass, 2),
    bDeviceSubClass: hex(deviceSubClass, 2),
    bDeviceProtocol: hex(deviceProtocol, 2),
    bNumConfigurations: spec.configurations.length,
    bConfigurationValue: configurationValue ?? '',
    bNumInterfaces: configured ? String(interfaceCount).padStart(2) : '',
    manufacturer: spec.manufacturer,
    product: spec.product,
    serial: spec.serial,
    speed: spec.speed,
    busnum: bus,
    devnum: deviceNumber,
    devpath: busId.split('-')[1],
    dev: `${node.major}:${node.minor}`,
    uevent: [
      `MAJOR=${node.major}`,
      `MINOR=${node.minor}`,
      `DEVNAME=${node.path.slice('/dev/'.length)}`,
      'DEVTYPE=usb_device',
      `DRIVER=${spec.driver ?? 'usb'}`,
      `PRODUCT=${[spec.vendorId, spec.productId, bcdDevice].map((number) => number.toString(16)).join('/')}`,
      `TYPE=${deviceClass}/${deviceSubClass}/${deviceProtocol}`,
      `BUSNUM=${three(bus)}`,
      `DEVNUM=${three(deviceNumber)}`,
    ].join('\n'),
  };
  return [
    ...Object.entries(files).flatMap(([name, content]) =>
      content === undefined ? [] : [file(`${folder}/${name}`, content)],
    ),
    file(`${folder}/descriptors`, buildDescriptors(spec)),
    link(`${folder}/subsystem`, USB),
    link(`${folder}/port`, `${folder.slice(0, folder.lastIndexOf('/'))}/port`),
  ];
}

function driverLinks(folder: string, driver: string | undefined): TreeFile[] {
  if (driver === undefined) return [];
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  return [
    link(`${folder}/driver`, `${USB}/drivers/${driver}`),
    link(`${USB}/drivers/${driver}/${name}`, folder),
  ];
}

function interfaceFiles(
  spec: UsbDeviceSpec,
  face: UsbInterfaceSpec,
  number: number,
  folder: string,
): TreeFile[] {
  const current = [face, ...(face.alternates ?? [])][face.current ?? 0] ?? face;
  return [
    file(`${folder}/bInterfaceNumber`, hex(number, 2)),
    file(`${folder}/bAlternateSetting`, String(face.current ?? 0).padStart(2)),
    file(`${folder}/bInterfaceClass`, hex(current.class, 2)),
    file(`${folder}/bInterfaceSubClass`, hex(current.subClass, 2)),
    file(`${folder}/bInterfaceProtocol`, hex(current.protocol, 2)),
    file(`${folder}/authorized`, 1),
    file(`${folder}/uevent`, 'DEVTYPE=usb_interface'),
    file(`${folder}/ep_81/bEndpointAddress`, '81'),
    link(`${folder}/subsystem`, USB),
    ...driverLinks(folder, face.driver),
    ...(face.functions ?? []).flatMap((node) => functionFiles(spec, node, folder)),
  ];
}

/** Where a driver puts a node of each kind below its interface. */
function classFolder({ kind, name }: UsbFunctionSpec, spec: UsbDeviceSpec): string {
  const host = spec.deviceNumber;
  const unit = `host${host}/target${host}:0:0/${host}:0:0:0/${kind}`;
  const hid = `0003:${hex(spec.vendorId, 4)}:${hex(spec.productId, 4)}.000A`.toUpperCase();
  if (name.startsWith('mmcblk')) return `card_reader.0/mmc_host/mmc0/mmc0:0001/${kind}`;
  if (kind === 'block' || kind === 'scsi_generic') return unit;
  if (kind === 'hidraw') return `${hid}/${kind}`;
  if (kind === 'input') return `${hid}/input/input${host}`;
  return name.startsWith('ttyUSB') ? `${name}/${kind}` : kind;
}

const MAJORS = { block: 8, scsi_generic: 21, hidraw: 241, tty: 188, usbmisc: 180, input: 13, net: 0 };

function functionFiles(spec: UsbDeviceSpec, node: UsbFunctionSpec, parent: string): TreeFile[] {
  const { kind, name, partitions = [], holders = [] } = node;
  const folder = `${parent}/${classFolder(node, spec)}/${name}`;
  const minor = kind === 'block' ? (name.charCodeAt(2) - 97) * 16 : Number(/\d+$/.exec(name)?.[0] ?? 0);
  const common = [link(`${folder}/subsystem`, `/sys/class/${kind}`), link(`${folder}/device`, parent)];
  const listed = link(`/sys/class/${kind}/${name}`, folder);
  if (kind === 'net') return [...common, listed, file(`${folder}/flags`, node.up ? '0x1003' : '0x1002')];
  return [
    ...common,
    listed,
    ...nodeFiles(kind, folder, minor),
    ...holders.map((holder) => link(`${folder}/holders/${holder}`, `/sys/devices/virtual/block/${holder}`)),
    ...partitions.flatMap((partition, index) => [
      link(`/sys/class/${kind}/${partition}`, `${folder}/${partition}`),
      file(`${folder}/${partition}/partition`, index + 1),
      ...nodeFiles(kind, `${folder}/${partition}`, minor + index + 1),
    ]),
  ];
}

function nodeFiles(kind: UsbFunctionSpec['kind'], folder: string, minor: number): TreeFile[] {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  const major = name.startsWith('ttyACM') ? 166 : name.startsWith('mmcblk') ? 179 : MAJORS[kind];
  const below = { input: 'input/', usbmisc: 'usb/' }[kind as string] ?? '';
  return [
    file(`${folder}/dev`, `${major}:${minor}`),
    file(`${folder}/uevent`, `MAJOR=${major}\nMINOR=${minor}\nDEVNAME=${below}${name}`),
    { path: `/dev/${below}${name}`, kind: 'device', major, minor },
  ];
}
