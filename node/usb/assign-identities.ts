// Gives every device its identity and name, and keeps them with it. Pure.
import { createHash } from 'node:crypto';
import type { UsbDevice } from './device.ts';
import { descriptorsHash, fingerprint } from './fingerprint.ts';
import type { IdentityMap, KnownIdentity } from './identity-map.ts';
import type { NamedDevice } from './inventory.ts';

export interface AssignedIdentities {
  /** One a device, in their order; no two share a name. */
  readonly entries: readonly NamedDevice[];
  /** To be kept on disk before the names are published. */
  readonly map: IdentityMap;
}

/** A device with what it is recognised by. */
interface Candidate {
  readonly device: UsbDevice;
  readonly hash: string | undefined;
}

/** How many unplugged devices that nobody holds are remembered, the most recent first. */
const REMEMBERED = 64;

/**
 * A device that was here before keeps its identity: in the same port, or (by its serial) in another. A newcomer gets
 * `vid:pid:serial`, or `vid:pid@port` when it has no serial, when a plugged or pinned device has that serial already, or
 * when it is imported (its serial is its owner's). A device without a serial that has other descriptors than the one
 * which was in its port before is another device. `pinned`: names that are allocated or assigned; they are never given
 * to another device, plugged or not.
 */
export function assignIdentities(
  devices: readonly UsbDevice[],
  known: IdentityMap,
  pinned: ReadonlySet<string>,
  nodeName: string,
): AssignedIdentities {
  const candidates = devices.map((device) => ({ device, hash: descriptorsHash(device) }));
  const unplugged = new Set(known);
  const found = new Map<Candidate, KnownIdentity>();
  for (const fits of [untouched, stayed, moved]) {
    for (const candidate of candidates) {
      if (found.has(candidate)) continue;
      const fitting = [...unplugged].filter((entry) => fits(candidate, entry));
      // When two remembered ones fit, the one in use is meant.
      const match = fitting.find(({ name }) => pinned.has(name)) ?? fitting[0];
      if (!match) continue;
      unplugged.delete(match);
      found.set(candidate, seenAgain(match, candidate));
    }
  }
  const taken = new Set([...found.values(), ...unplugged].map(({ identity }) => identity));
  const pairs = candidates.map((candidate) => {
    const entry = found.get(candidate) ?? newcomer(candidate, taken, pinned, nodeName);
    taken.add(entry.identity);
    return { candidate, entry };
  });
  const present = pairs.map(({ entry }) => entry);
  return {
    entries: pairs.map(({ candidate, entry }) => named(candidate, entry)),
    map: [...present, ...remembered([...unplugged], present, pinned)],
  };
}

/** At the same bus id too: told apart from a twin in the port of the same path on the controller's other hub. */
function untouched(candidate: Candidate, entry: KnownIdentity): boolean {
  return candidate.device.busId === entry.busId && stayed(candidate, entry);
}

/** Same port, same model, same serial; without a serial nothing may speak for another device. */
function stayed({ device, hash }: Candidate, entry: KnownIdentity): boolean {
  if (!sameModel(device, entry) || device.portPath !== entry.portPath || device.serial !== entry.serial)
    return false;
  return device.serial !== undefined || !hash || !entry.descriptorsHash || hash === entry.descriptorsHash;
}

function moved({ device }: Candidate, entry: KnownIdentity): boolean {
  return (
    entry.form === 'serial' && !device.imported && sameModel(device, entry) && device.serial === entry.serial
  );
}

function sameModel(device: UsbDevice, entry: KnownIdentity): boolean {
  return device.vendorId === entry.vendorId && device.productId === entry.productId;
}

function seenAgain(entry: KnownIdentity, { device, hash }: Candidate): KnownIdentity {
  return {
    ...entry,
    portPath: device.portPath,
    busId: device.busId,
    ...(hash !== undefined && { descriptorsHash: hash }),
  };
}

function newcomer(
  { device, hash }: Candidate,
  taken: ReadonlySet<string>,
  pinned: ReadonlySet<string>,
  nodeName: string,
): KnownIdentity {
  const model = `${hex(device.vendorId)}:${hex(device.productId)}`;
  const bySerial = device.serial === undefined || device.imported ? undefined : `${model}:${device.serial}`;
  const byPort = `${model}@${device.portPath}`;
  const wanted = [
    ...(bySerial ? [bySerial] : []),
    byPort,
    ...(hash ? [`${byPort}#${hash.slice(0, 8)}`] : []),
  ];
  const open = wanted.filter((identity) => !taken.has(identity));
  // A pinned name that the map does not know: the map was lost, and this device was meant.
  const meant = open.find((identity) => pinned.has(nameOf(identity, nodeName)));
  const identity = meant ?? open[0] ?? numbered(byPort, taken);
  return {
    name: nameOf(identity, nodeName),
    identity,
    form: identity === bySerial ? 'serial' : 'port',
    duplicateSerial: bySerial !== undefined && taken.has(bySerial),
    vendorId: device.vendorId,
    productId: device.productId,
    ...(device.serial !== undefined && { serial: device.serial }),
    portPath: device.portPath,
    busId: device.busId,
    ...(hash !== undefined && { descriptorsHash: hash }),
  };
}

function hex(number: number): string {
  return number.toString(16).padStart(4, '0');
}

/** A node name holds no slash, so two pairs never make one text. */
function nameOf(identity: string, nodeName: string): string {
  return `usb-${createHash('sha1').update(`${nodeName}/${identity}`).digest('hex')}`;
}

/** Ports of the two root hubs of a USB 3 controller have the same path, so even equal devices may meet in one. */
function numbered(identity: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${identity}#${number}`)) number++;
  return `${identity}#${number}`;
}

function named({ device, hash }: Candidate, entry: KnownIdentity): NamedDevice {
  return {
    device,
    name: entry.name,
    identity: entry.identity,
    identityForm: entry.form,
    duplicateSerial: entry.duplicateSerial,
    fingerprint: fingerprint(device),
    ...(hash !== undefined && { descriptorsHash: hash }),
  };
}

/** Pinned ones stay for ever; of the others those that keep a later device from getting their name. */
function remembered(
  unplugged: readonly KnownIdentity[],
  present: readonly KnownIdentity[],
  pinned: ReadonlySet<string>,
): KnownIdentity[] {
  const held = unplugged.filter(({ name }) => pinned.has(name));
  const serials = new Set([...present, ...held].filter(({ form }) => form === 'serial').map(modelAndSerial));
  const loose = unplugged.filter(
    (entry) =>
      !pinned.has(entry.name) &&
      (entry.serial === undefined || (entry.duplicateSerial && serials.has(modelAndSerial(entry)))),
  );
  return [...held, ...loose.slice(0, REMEMBERED)];
}

function modelAndSerial({ vendorId, productId, serial }: KnownIdentity): string {
  return `${vendorId}:${productId}:${serial}`;
}
