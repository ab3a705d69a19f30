// Whether a device is the one that a claim got: the port may hold another one since its owner published it.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { DeviceTarget } from '../dra/device-access.ts';
import type { UsbDevice } from './device.ts';

/** A string in a ResourceSlice has at most this many bytes; a longer one is cut at a character boundary. */
const ATTRIBUTE_BYTES = 64;

type Identity = Pick<UsbDevice, 'vendorId' | 'productId' | 'serial'>;

/**
 * DEVICE_CHANGED, naming what differs. A device without a serial must still have none: another of the same model that
 * has one is another device.
 */
export function expectTarget(device: Identity, fingerprint: string, target: DeviceTarget): void {
  const found = modelOf(device);
  const wanted = modelOf(target);
  if (found !== wanted) throw changed(target, `is ${found} instead of ${wanted}`);
  if (!sameText(device.serial, target.serial)) {
    throw changed(target, `has serial ${device.serial ?? 'none'} instead of ${target.serial ?? 'none'}`);
  }
  if (target.fingerprint !== undefined && !sameText(fingerprint, target.fingerprint)) {
    throw changed(target, 'has other interfaces than before');
  }
}

/** DEVICE_CHANGED when already the owner's reply names another model: the kernel need not be touched then. */
export function expectModel(device: Omit<Identity, 'serial'>, target: DeviceTarget): void {
  if (modelOf(device) === modelOf(target)) return;
  throw changed(target, `is ${modelOf(device)} instead of ${modelOf(target)}`);
}

/** `published` may be cut; a character of UTF-8 has at most four bytes, so a cut text has at least 61. */
function sameText(text: string | undefined, published: string | undefined): boolean {
  if (text === published) return true;
  if (text === undefined || published === undefined) return false;
  return Buffer.byteLength(published) > ATTRIBUTE_BYTES - 4 && text.startsWith(published);
}

function modelOf({ vendorId, productId }: { vendorId: number; productId: number }): string {
  const hex = (number: number) => number.toString(16).padStart(4, '0');
  return `${hex(vendorId)}:${hex(productId)}`;
}

function changed(target: DeviceTarget, difference: string): TypedError {
  return new TypedError(
    'DEVICE_CHANGED',
    `the device at ${target.busId} of node ${target.pool} ${difference}`,
    'Another device is in the port now. Delete the claim and let it be allocated again.',
  );
}
