// Patterns over vendor and product id, e.g. `0529:0001`, `0529:*`, `04*:c52b`.
import { glob } from './glob.ts';

/**
 * A test of ids as `idText` writes them. The one colon of a pattern meets the one of the id, so no star reaches over
 * it. Throws an Error with the allowed form when the pattern has another one.
 */
export function idPattern(pattern: string): (id: string) => boolean {
  const parts = pattern.toLowerCase().split(':');
  if (parts.length !== 2 || !parts.every(isPart)) {
    throw new Error(
      `bad id "${pattern}": use vid:pid, four hexadecimal digits each, with * for any run of them`,
    );
  }
  return glob(parts.join(':'));
}

function isPart(part: string): boolean {
  const digits = part.replaceAll('*', '');
  return /^[0-9a-f]{0,4}$/.test(digits) && (digits.length === 4 || part.includes('*'));
}

/** `vid:pid`, four lower-case hexadecimal digits each. */
export function idText(device: { vendorId: number; productId: number }): string {
  return `${hex(device.vendorId)}:${hex(device.productId)}`;
}

function hex(id: number): string {
  return id.toString(16).padStart(4, '0');
}
