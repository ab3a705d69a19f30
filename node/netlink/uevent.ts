// Kernel uevents as bytes: `action@devpath\0KEY=VALUE\0...` (lib/kobject_uevent.c, netlink group 1).
import { TypedError } from '../../proto/api/typed-error.ts';

export interface Uevent {
  readonly action: string;
  /** Path below /sys, e.g. `/devices/pci0000:00/.../3-2`. */
  readonly devpath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** udevd's own messages (group 2) begin so; they have a binary header. */
const UDEV_MAGIC = 'libudev\0';

/**
 * Throws TypedError PROTOCOL for anything that the kernel does not send. Actions are not checked against a list: the
 * kernel has got new ones before (bind, unbind). Of a name that occurs twice the last value counts.
 */
export function decodeUevent(bytes: Uint8Array): Uevent {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (text.startsWith(UDEV_MAGIC)) throw malformed('comes from udevd, not from the kernel');
  const [header = '', ...fields] = text.split('\0');
  if (fields.pop() !== '') throw malformed('is cut off');
  const [, action, devpath] = /^([a-z]+)@(\/.*)$/s.exec(header) ?? [];
  if (action === undefined || devpath === undefined) throw malformed('has no action@path');
  // Entries and not assignments: `__proto__` is a name like any other.
  return { action, devpath, env: Object.fromEntries(fields.map(nameAndValue)) };
}

function nameAndValue(field: string): [string, string] {
  const equals = field.indexOf('=');
  if (equals < 1) throw malformed('has a field without a name');
  return [field.slice(0, equals), field.slice(equals + 1)];
}

function malformed(what: string): TypedError {
  return new TypedError('PROTOCOL', `a uevent ${what}`);
}

/** The kernel's form of an event. No part may hold NUL, and no name an equals sign. */
export function encodeUevent({ action, devpath, env }: Uevent): Uint8Array {
  const fields = Object.entries(env).map(([name, value]) => `${name}=${value}\0`);
  return new TextEncoder().encode(`${action}@${devpath}\0${fields.join('')}`);
}
