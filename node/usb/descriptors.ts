// Raw USB descriptors (USB 2.0 chapter 9) as sysfs gives them: the device's, then every configuration with all in it.

export interface DeviceDescriptor {
  readonly vendorId: number;
  readonly productId: number;
  readonly bcdDevice: number;
  readonly class: number;
  readonly subClass: number;
  readonly protocol: number;
  readonly configurationCount: number;
}

export interface InterfaceDescriptor {
  readonly number: number;
  readonly class: number;
  readonly subClass: number;
  readonly protocol: number;
}

export interface ConfigurationDescriptor {
  /** bConfigurationValue. */
  readonly value: number;
  /** In alternate setting 0, which every device has after a reset; one a number, in order of appearance. */
  readonly interfaces: readonly InterfaceDescriptor[];
}

export interface Descriptors {
  /** Absent when the bytes do not begin with a whole one. */
  readonly device?: DeviceDescriptor;
  readonly configurations: readonly ConfigurationDescriptor[];
}

const TYPE = { device: 1, configuration: 2, interface: 4 };
const SIZE = { device: 18, configuration: 9, interface: 9 };

/**
 * What can be read from `bytes`; the rest of a configuration behind a damaged descriptor is left out. The bytes come
 * from the device, so nothing in them is trusted, and nothing is thrown.
 */
export function parseDescriptors(bytes: Uint8Array): Descriptors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const device = deviceAt(view);
  const configurations: ConfigurationDescriptor[] = [];
  let at = view.byteLength > 0 ? view.getUint8(0) : 0;
  while (device && isWhole(view, at, TYPE.configuration, SIZE.configuration)) {
    // The kernel puts configurations one behind the other by wTotalLength (descriptors_read, drivers/usb/core/sysfs.c).
    const end = Math.min(at + Math.max(view.getUint16(at + 2, true), SIZE.configuration), view.byteLength);
    configurations.push({ value: view.getUint8(at + 5), interfaces: interfacesIn(view, at, end) });
    at = end;
  }
  return { ...(device && { device }), configurations };
}

function deviceAt(view: DataView): DeviceDescriptor | undefined {
  if (!isWhole(view, 0, TYPE.device, SIZE.device)) return undefined;
  return {
    vendorId: view.getUint16(8, true),
    productId: view.getUint16(10, true),
    bcdDevice: view.getUint16(12, true),
    class: view.getUint8(4),
    subClass: view.getUint8(5),
    protocol: view.getUint8(6),
    configurationCount: view.getUint8(17),
  };
}

function interfacesIn(view: DataView, start: number, end: number): InterfaceDescriptor[] {
  const interfaces = new Map<number, InterfaceDescriptor>();
  for (let at = start; at + 2 <= end; at += view.getUint8(at)) {
    // A length below 2 leads nowhere.
    if (view.getUint8(at) < 2) break;
    if (at + SIZE.interface > end || !isWhole(view, at, TYPE.interface, SIZE.interface)) continue;
    const number = view.getUint8(at + 2);
    if (view.getUint8(at + 3) !== 0 || interfaces.has(number)) continue;
    interfaces.set(number, {
      number,
      class: view.getUint8(at + 5),
      subClass: view.getUint8(at + 6),
      protocol: view.getUint8(at + 7),
    });
  }
  return [...interfaces.values()];
}

function isWhole(view: DataView, at: number, type: number, size: number): boolean {
  return at + size <= view.byteLength && view.getUint8(at) >= size && view.getUint8(at + 1) === type;
}

/**
 * The configuration that the kernel sets when nothing else is asked for: the first whose first interface is not of a
 * vendor's own class, else the first (usb_choose_configuration, drivers/usb/core/generic.c; power is left out).
 */
export function defaultConfiguration({
  device,
  configurations,
}: Descriptors): ConfigurationDescriptor | undefined {
  const vendorSpecific = 0xff;
  const standard = configurations.find(({ interfaces: [first] }) => first && first.class !== vendorSpecific);
  return (device?.class === vendorSpecific ? undefined : standard) ?? configurations[0];
}
