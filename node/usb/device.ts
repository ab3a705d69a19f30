// A USB device as its sysfs folder tells it: plain data, made by the reader, judged by the policy.

export interface UsbInterface {
  /** bInterfaceNumber. */
  readonly number: number;
  readonly class: number;
  readonly subClass: number;
  readonly protocol: number;
  /** Folder name, e.g. `3-2.1:1.0`. */
  readonly sysfsName: string;
  /** Name of the bound driver; undefined when none is. */
  readonly driver?: string;
}

/** A device node that a driver made below a USB device. `kind` is the sysfs subsystem. */
export interface FunctionNode {
  readonly kind: 'block' | 'scsi_generic' | 'hidraw' | 'tty' | 'usbmisc' | 'input' | 'net';
  /** e.g. `sda`, `sg0`, `hidraw0`, `ttyACM0`, `eth1`. */
  readonly name: string;
  /** Absent for network interfaces, which have no device file. */
  readonly node?: DeviceNode;
}

export interface DeviceNode {
  /** Path on the host, e.g. `/dev/bus/usb/003/017`. */
  readonly path: string;
  readonly type: 'c' | 'b';
  readonly major: number;
  readonly minor: number;
}

export interface UsbDevice {
  /** Folder name in /sys/bus/usb/devices, e.g. `3-2.1`. */
  readonly busId: string;
  /** Resolved folder, e.g. `/sys/devices/pci0000:00/0000:00:14.0/usb3/3-2/3-2.1`. */
  readonly sysfsPath: string;
  /** Controller and port chain, e.g. `0000:00:14.0-2.1`; stable over reboots. */
  readonly portPath: string;
  readonly busNumber: number;
  readonly deviceNumber: number;
  /** Unsigned 16 bits. */
  readonly vendorId: number;
  readonly productId: number;
  readonly bcdDevice: number;
  readonly deviceClass: number;
  readonly deviceSubClass: number;
  readonly deviceProtocol: number;
  /** Cleaned text: control characters and invalid UTF-8 replaced, trimmed; absent when empty or missing. */
  readonly manufacturer?: string;
  readonly product?: string;
  readonly serial?: string;
  /** Mb/s: 1.5, 12, 480, 5000, 10000, 20000. */
  readonly speed: number;
  readonly configurationValue: number;
  readonly configurationCount: number;
  readonly interfaceCount: number;
  readonly interfaces: readonly UsbInterface[];
  /** The usbfs node. */
  readonly node: DeviceNode;
  /** Raw descriptors as sysfs gives them; absent when unreadable. */
  readonly descriptors?: Uint8Array;
  /** Device driver: `usb` or `usbip-host`. */
  readonly driver?: string;
  readonly isHub: boolean;
  /** True for devices imported through vhci. */
  readonly imported: boolean;
  readonly functions: readonly FunctionNode[];
}
