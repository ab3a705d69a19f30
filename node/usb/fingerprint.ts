// What kind of device it is, as a hash: equal in every port and at every speed, different for another model.
import { createHash } from 'node:crypto';
import type { UsbDevice } from './device.ts';

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/**
 * `sha256:` + hex over vendor, product, device class and the sorted set of interface class, sub-class and protocol of
 * alternate setting 0. Not over the raw descriptors: a USB 3 device shows others in a USB 2 port.
 */
export function fingerprint(
  device: Pick<UsbDevice, 'vendorId' | 'productId' | 'deviceClass' | 'interfaces'>,
): string {
  const faces = device.interfaces.map((face) =>
    [face.class, face.subClass, face.protocol].map((n) => hex(n, 2)).join(''),
  );
  const text = [
    hex(device.vendorId, 4),
    hex(device.productId, 4),
    hex(device.deviceClass, 2),
    ...[...new Set(faces)].sort(),
  ].join(' ');
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** sha256 hex of the raw descriptors, for information; undefined when they could not be read. */
export function descriptorsHash(device: Pick<UsbDevice, 'descriptors'>): string | undefined {
  return device.descriptors && createHash('sha256').update(device.descriptors).digest('hex');
}
