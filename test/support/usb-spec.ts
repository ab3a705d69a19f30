// What a test says about a USB device, and devices that many tests use.
import type { FunctionNode } from '../../node/usb/device.ts';

export interface ClassTriple {
  readonly class: number;
  readonly subClass: number;
  readonly protocol: number;
}

export interface UsbFunctionSpec {
  readonly kind: FunctionNode['kind'];
  /** `sda`, `ttyUSB0`, `event3`. */
  readonly name: string;
  /** Of a disk: names of the partitions, numbered behind it. */
  readonly partitions?: readonly string[];
  /** Of a disk: what is on top of it, e.g. `dm-0`. */
  readonly holders?: readonly string[];
  /** Of a network interface. */
  readonly up?: boolean;
}

/** Alternate setting 0, and the settings after it. */
export interface UsbInterfaceSpec extends ClassTriple {
  readonly alternates?: readonly ClassTriple[];
  /** Which setting the folder shows; 0 unless a driver chose another. */
  readonly current?: number;
  readonly driver?: string;
  readonly functions?: readonly UsbFunctionSpec[];
}

export interface UsbDeviceSpec {
  /** `3-2.1`; the bus is that of the root hub. */
  readonly busId: string;
  readonly deviceNumber: number;
  /** Folder of the host controller; a PCI one by default. */
  readonly controller?: string;
  readonly vendorId: number;
  readonly productId: number;
  readonly bcdDevice?: number;
  readonly deviceClass?: number;
  readonly deviceSubClass?: number;
  readonly deviceProtocol?: number;
  readonly manufacturer?: string;
  readonly product?: string;
  readonly serial?: string;
  /** Mb/s. */
  readonly speed: number;
  readonly configurations: readonly {
    readonly value: number;
    readonly interfaces: readonly UsbInterfaceSpec[];
  }[];
  /** `usbip-host` leaves the device without a configuration; otherwise the first one is set. */
  readonly driver?: 'usb' | 'usbip-host';
}

type Place = Pick<UsbDeviceSpec, 'busId' | 'deviceNumber'> & Partial<UsbDeviceSpec>;

export const PCI_CONTROLLER = '/sys/devices/pci0000:00/0000:00:14.0';
export const VHCI_CONTROLLER = '/sys/devices/platform/vhci_hcd.0';

/** A flash drive with one partition, driven by usb-storage. */
export function diskSpec(place: Place, name = 'sda'): UsbDeviceSpec {
  const functions: UsbFunctionSpec[] = [
    { kind: 'block', name, partitions: [`${name}1`] },
    { kind: 'scsi_generic', name: `sg${name.charCodeAt(2) - 97}` },
  ];
  const storage = { class: 8, subClass: 6, protocol: 0x50, driver: 'usb-storage', functions };
  return {
    vendorId: 0x0951,
    productId: 0x1666,
    manufacturer: 'Kingston',
    product: 'DataTraveler 3.0',
    serial: 'E0D55EA5741',
    speed: 5000,
    configurations: [{ value: 1, interfaces: [storage] }],
    ...place,
  };
}

/** A serial adapter without a serial number of its own. */
export function adapterSpec(place: Place, name = 'ttyUSB0'): UsbDeviceSpec {
  const port = {
    class: 0xff,
    subClass: 1,
    protocol: 2,
    driver: 'ch341',
    functions: [{ kind: 'tty' as const, name }],
  };
  return {
    vendorId: 0x1a86,
    productId: 0x7523,
    product: 'USB Serial',
    speed: 12,
    deviceClass: 0xff,
    configurations: [{ value: 1, interfaces: [port] }],
    ...place,
  };
}

/** A low-speed keyboard. */
export function keyboardSpec(place: Place): UsbDeviceSpec {
  const keys = {
    class: 3,
    subClass: 1,
    protocol: 1,
    driver: 'usbhid',
    functions: [
      { kind: 'hidraw' as const, name: 'hidraw0' },
      { kind: 'input' as const, name: 'event3' },
    ],
  };
  return {
    vendorId: 0x046d,
    productId: 0xc31c,
    manufacturer: 'Logitech',
    product: 'USB Keyboard',
    speed: 1.5,
    configurations: [{ value: 1, interfaces: [keys] }],
    ...place,
  };
}

/** A network card of a vendor's own class, and with the class of the USB-IF in its second configuration. */
export function networkSpec(place: Place, name = 'eth1', up = false): UsbDeviceSpec {
  const own = {
    class: 0xff,
    subClass: 0xff,
    protocol: 0,
    driver: 'r8152',
    functions: [{ kind: 'net' as const, name, up }],
  };
  return {
    vendorId: 0x0bda,
    productId: 0x8153,
    manufacturer: 'Realtek',
    product: 'USB 10/100/1000 LAN',
    serial: '001000001',
    speed: 5000,
    configurations: [
      { value: 1, interfaces: [own] },
      {
        value: 2,
        interfaces: [
          { class: 2, subClass: 6, protocol: 0 },
          { class: 10, subClass: 0, protocol: 0 },
        ],
      },
    ],
    ...place,
  };
}

/** A hub; what is plugged into it has its bus id plus a dot and a port. */
export function hubSpec(place: Place): UsbDeviceSpec {
  return {
    vendorId: 0x05e3,
    productId: 0x0610,
    product: 'USB2.1 Hub',
    speed: 480,
    deviceClass: 9,
    deviceProtocol: 1,
    configurations: [{ value: 1, interfaces: [{ class: 9, subClass: 0, protocol: 1, driver: 'hub' }] }],
    ...place,
  };
}
