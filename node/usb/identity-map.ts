// What the agent remembers of the devices of its node, so that a name stays with its device; kept in identities.json.
import { createHash } from 'node:crypto';
import { TypedError } from '../../proto/api/typed-error.ts';

export interface KnownIdentity {
  /** `usb-` + sha1 hex; what claims and assignments refer to. */
  readonly name: string;
  readonly identity: string;
  readonly form: 'serial' | 'port';
  /** Another device had the same vendor, product and serial first. */
  readonly duplicateSerial: boolean;
  readonly vendorId: number;
  readonly productId: number;
  readonly serial?: string;
  /** Where it was seen last. The two hubs of a USB 3 controller share port paths; bus ids may change at a boot. */
  readonly portPath: string;
  readonly busId: string;
  /** sha256 hex of the raw descriptors, when they were readable. */
  readonly descriptorsHash?: string;
}

/** The plugged ones first, then those that are remembered, the most recent first. */
export type IdentityMap = readonly KnownIdentity[];

const VERSION = 1;

export function encodeIdentityMap(map: IdentityMap): string {
  const devices = map.map(ordered);
  return `${JSON.stringify({ version: VERSION, checksum: checksum(devices), devices }, undefined, 2)}\n`;
}

/** Throws CORRUPT_STATE for anything that `encodeIdentityMap` of this version did not write. */
export function decodeIdentityMap(text: string): IdentityMap {
  const envelope = parse(text);
  if (!isRecord(envelope)) throw corrupt('is not an object');
  if (envelope.version !== VERSION) throw corrupt(`has version ${String(envelope.version)}`);
  const { devices } = envelope;
  if (!Array.isArray(devices) || !devices.every(isKnown)) throw corrupt('has an unknown shape');
  if (envelope.checksum !== checksum(devices)) throw corrupt('fails its checksum');
  // Everything relies on it: two devices of one name would be given to two claims.
  if (new Set(devices.map(({ name }) => name)).size < devices.length) throw corrupt('has a name twice');
  return devices;
}

/** Keys in a fixed order, so that equal maps are equal files. */
function ordered(known: KnownIdentity): KnownIdentity {
  return {
    name: known.name,
    identity: known.identity,
    form: known.form,
    duplicateSerial: known.duplicateSerial,
    vendorId: known.vendorId,
    productId: known.productId,
    ...(known.serial !== undefined && { serial: known.serial }),
    portPath: known.portPath,
    busId: known.busId,
    ...(known.descriptorsHash !== undefined && { descriptorsHash: known.descriptorsHash }),
  };
}

function checksum(devices: IdentityMap): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(devices)).digest('hex')}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw corrupt('is not JSON', { cause });
  }
}

function corrupt(why: string, options?: ErrorOptions): TypedError {
  return new TypedError('CORRUPT_STATE', `the map of device identities ${why}`, undefined, options);
}

function isKnown(value: unknown): value is KnownIdentity {
  return (
    isRecord(value) &&
    typeof value.name === 'string' &&
    /^usb-[0-9a-f]{40}$/.test(value.name) &&
    isText(value.identity) &&
    (value.form === 'serial' || value.form === 'port') &&
    typeof value.duplicateSerial === 'boolean' &&
    isWord(value.vendorId) &&
    isWord(value.productId) &&
    (value.serial === undefined || isText(value.serial)) &&
    (value.form === 'port' || value.serial !== undefined) &&
    isText(value.portPath) &&
    isText(value.busId) &&
    (value.descriptorsHash === undefined || isText(value.descriptorsHash))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Unsigned 16 bits. */
function isWord(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xffff;
}
