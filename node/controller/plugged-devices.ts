// The devices that the ResourceSlices of the driver list, by the name of their objects. Pure.
import type { UsbDeviceAttributes } from '../../proto/api/gen/usb-device-attributes.ts';
import { UNPLUGGED_TAINT } from '../../proto/api/names.ts';
import type { ResourceSlice, SliceDevice } from '../../proto/api/resource.ts';
import { objectNameOf } from './device-name.ts';

export interface DeviceFacts {
  readonly attributes: UsbDeviceAttributes;
  readonly nodeName: string;
  readonly identity?: string;
  /** `sha256:` and hex, as USBNodeStatus has it. */
  readonly fingerprint?: string;
}

export interface PluggedDevices {
  readonly devices: ReadonlyMap<string, DeviceFacts>;
  /** Pools that are being rewritten: what they do not list may still be there. */
  readonly incomplete: ReadonlySet<string>;
}

const TEXTS = [
  'bcd',
  'bus',
  'deviceNumber',
  'devicePath',
  'manufacturer',
  'name',
  'product',
  'productID',
  'serial',
  'vendorID',
] as const;
const NUMBERS = ['major', 'minor', 'speed'] as const;

/** A name in two pools, which no agent of ours makes, belongs to the first pool by name. */
export function pluggedDevices(slices: readonly ResourceSlice[]): PluggedDevices {
  const devices = new Map<string, DeviceFacts>();
  const incomplete = new Set<string>();
  const pools = Map.groupBy(slices, ({ spec }) => spec.pool.name);
  for (const [pool, parts] of [...pools].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { listed, complete } = poolContent(parts);
    if (!complete) incomplete.add(pool);
    for (const device of listed) {
      const name = objectNameOf(device.name);
      if (!devices.has(name)) devices.set(name, deviceFacts(device, pool));
    }
  }
  return { devices, incomplete };
}

/**
 * Several slices are rewritten one by one under a new generation, and until the last one a device may be in an old one
 * or in none (resource.k8s.io/v1, ResourcePool). So only a complete pool tells what is not there.
 */
function poolContent(parts: readonly ResourceSlice[]): { listed: SliceDevice[]; complete: boolean } {
  const newest = Math.max(...parts.map(({ spec }) => spec.pool.generation));
  const current = parts.filter(({ spec }) => spec.pool.generation === newest);
  const complete = current.length >= (current[0]?.spec.pool.resourceSliceCount ?? 0);
  const old = complete ? [] : parts.filter((part) => !current.includes(part));
  const listed = [...current, ...old].flatMap(({ spec }) => spec.devices ?? []);
  return { listed: listed.filter(isPlugged), complete };
}

/** The agent keeps a device that was pulled out while a claim has it, tainted so that nobody else gets it. */
function isPlugged({ taints = [] }: SliceDevice): boolean {
  return taints.every(({ key }) => key !== UNPLUGGED_TAINT);
}

/** Attributes of a type that they should not have are left out: whoever may write slices can write anything. */
function deviceFacts(device: SliceDevice, pool: string): DeviceFacts {
  const text = (key: string) => {
    const attribute = device.attributes?.[key];
    return attribute && 'string' in attribute ? attribute.string : undefined;
  };
  const number = (key: string) => {
    const attribute = device.attributes?.[key];
    return attribute && 'int' in attribute ? attribute.int : undefined;
  };
  const entries = [...TEXTS.map((key) => [key, text(key)]), ...NUMBERS.map((key) => [key, number(key)])];
  const told = Object.fromEntries(entries.filter(([, given]) => given !== undefined));
  const identity = text('identity');
  const fingerprint = text('fingerprint');
  return {
    attributes: { name: device.name, ...told, nodeName: pool },
    nodeName: pool,
    ...(identity !== undefined && { identity }),
    ...(fingerprint !== undefined && { fingerprint: `sha256:${fingerprint}` }),
  };
}
