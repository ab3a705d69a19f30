// Names of USB classes (usb.org, "Defined Class Codes").
import type { UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';

const NAMES: Readonly<Record<string, string>> = {
  '01': 'Audio',
  '02': 'Communications',
  '03': 'HID',
  '05': 'Physical',
  '06': 'Image',
  '07': 'Printer',
  '08': 'Mass Storage',
  '09': 'Hub',
  '0a': 'CDC Data',
  '0b': 'Smart Card',
  '0d': 'Content Security',
  '0e': 'Video',
  '0f': 'Personal Healthcare',
  '10': 'Audio/Video',
  '11': 'Billboard',
  '12': 'Type-C Bridge',
  '3c': 'I3C',
  dc: 'Diagnostic',
  e0: 'Wireless',
  ef: 'Miscellaneous',
  fe: 'Application Specific',
  ff: 'Vendor Specific',
};

/** `hex` is two lower-case digits; a code that is not assigned is shown as it is. */
export function className(hex: string): string {
  return NAMES[hex] ?? `class ${hex}`;
}

/** 00 means "see the interfaces", and ef says no more than that there are several functions. */
export function deviceClassNames(device: UsbDeviceStatus): string {
  const own = device.class !== '00' && device.class !== 'ef';
  const classes =
    own || device.interfaces.length === 0 ? [device.class] : device.interfaces.map((one) => one.class);
  return [...new Set(classes)].map(className).join(', ');
}
