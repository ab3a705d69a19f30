// The smallest devices, rules and candidates that the tests of the policy start from.
import type { Candidate, Device, InterfaceTest, NodeUse, Rule } from '../../../wasm/host/device-policy.ts';

export const UNUSED: NodeUse = { mounts: [], swaps: [], holders: [], networkUp: [] };

export const WORKER = { name: 'worker-1', labels: [{ key: 'zone', value: 'a' }] };

/** Interfaces from their pattern form, e.g. `faces('08:06:50')`. */
export function faces(...patterns: string[]): Device['interfaces'] {
  return patterns.map((pattern) => {
    const [a = 0, b = 0, c = 0] = pattern.split(':').map((part) => Number.parseInt(part, 16));
    return { class: a, subClass: b, protocol: c };
  });
}

/** A memory stick, unless told otherwise. */
export function device(different: Partial<Device> = {}): Device {
  return {
    name: `usb-${'0'.repeat(39)}1`,
    identity: '0951:1666:E0D55EA5',
    identityForm: 'serial',
    fingerprint: `sha256:${'ab'.repeat(32)}`,
    busId: '3-2.1',
    port: '0000:00:14.0-2.1',
    vendorId: 0x0951,
    productId: 0x1666,
    bcd: 0x0110,
    class: 0,
    subClass: 0,
    protocol: 0,
    speed: 50_000,
    manufacturer: 'Kingston',
    product: 'DataTraveler 3.0',
    serial: 'E0D55EA5',
    interfaces: faces('08:06:50'),
    isHub: false,
    imported: false,
    inUse: UNUSED,
    ...different,
  };
}

/** Blocks everything, unless told otherwise. */
export function rule(different: Partial<Rule> = {}): Rule {
  return { name: 'given', verdict: 'block', withInterface: [], nodeLabels: [], namespaces: [], ...different };
}

export function interfaces(operator: InterfaceTest['operator'], ...patterns: string[]): InterfaceTest {
  return { operator, patterns };
}

/** A memory stick on worker-1, unless told otherwise. */
export function candidate(different: Partial<Candidate> = {}): Candidate {
  return {
    name: `usb-${'0'.repeat(39)}1`,
    node: 'worker-1',
    busId: '3-2.1',
    vendorId: 0x0951,
    productId: 0x1666,
    serial: 'E0D55EA5',
    product: 'DataTraveler 3.0',
    ...different,
  };
}

/** The code of the TypedError that a function throws; undefined when it throws none. */
export function codeOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}
