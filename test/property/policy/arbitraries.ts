// Random devices, rules and candidates, with the few values that make matches likely mixed among arbitrary ones.
import fc from 'fast-check';
import type { Candidate, Device, Rule } from '../../../wasm/host/device-policy.ts';

const text = fc.oneof(
  fc.constantFrom('', '*', 'a', 'ab', 'a*', '*b', 'a*b', '-', '/', 'usb-0000'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const byte = fc.oneof(fc.constantFrom(0x02, 0x03, 0x06, 0x08, 0x09, 0x01, 0xe0, 0xff), fc.nat(0xff));
const word = fc.oneof(fc.constantFrom(0, 1, 0x0951), fc.nat(0xffff));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
const list = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 3 });
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: list(arbitrary) });

/** Without the keys whose value is undefined: an absent option has no key. */
function compact<T extends object>(record: T): T {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

export const anyDevice: fc.Arbitrary<Device> = fc
  .record({
    name: text,
    identity: text,
    identityForm: fc.constantFrom('serial' as const, 'port' as const),
    fingerprint: text,
    busId: text,
    port: text,
    vendorId: word,
    productId: word,
    bcd: word,
    class: byte,
    subClass: byte,
    protocol: byte,
    speed: fc.nat(0xffffffff),
    manufacturer: maybe(text),
    product: maybe(text),
    serial: maybe(text),
    interfaces: list(fc.record({ class: byte, subClass: byte, protocol: byte })),
    isHub: fc.boolean(),
    imported: fc.boolean(),
    inUse: fc.record({
      mounts: rarely(text),
      swaps: rarely(text),
      holders: rarely(text),
      networkUp: rarely(text),
    }),
  })
  .map((device) => compact(device) as Device);

const hex = (digits: number) => (value: number) => value.toString(16).padStart(digits, '0');
const part = (digits: number) => fc.oneof(fc.constant('*'), (digits === 2 ? byte : word).map(hex(digits)));
const pattern = fc.tuple(part(2), part(2), part(2)).map((parts) => parts.join(':'));
const id = fc.tuple(part(4), part(4)).map((parts) => parts.join(':'));

/** Rules that the policy accepts. */
export const goodRules: fc.Arbitrary<Rule[]> = fc
  .array(
    fc.record({
      verdict: fc.constantFrom('allow' as const, 'block' as const),
      id: maybe(id),
      serial: maybe(text),
      product: maybe(text),
      hash: maybe(text),
      viaPort: maybe(text),
      withInterface: rarely(
        fc.record({
          operator: fc.constantFrom(
            'one-of' as const,
            'all-of' as const,
            'none-of' as const,
            'equals' as const,
          ),
          patterns: fc.array(pattern, { minLength: 1, maxLength: 3 }),
        }),
      ),
      node: maybe(text),
      nodeLabels: rarely(fc.record({ key: text, value: text })),
      namespaces: rarely(text),
    }),
    { maxLength: 6 },
  )
  .map((rules) =>
    rules.map((rule, index) => {
      const namespaces = rule.verdict === 'allow' ? rule.namespaces : [];
      return compact({ ...rule, name: `rule-${index}`, namespaces }) as Rule;
    }),
  );

/** Rules with any text anywhere: most are refused. */
export const anyRules: fc.Arbitrary<Rule[]> = fc.array(
  fc
    .record({
      name: text,
      verdict: fc.constantFrom('allow' as const, 'block' as const),
      id: maybe(fc.oneof(text, id)),
      serial: maybe(text),
      withInterface: rarely(
        fc.record({
          operator: fc.constantFrom('one-of' as const, 'equals' as const),
          patterns: list(fc.oneof(text, pattern)),
        }),
      ),
      nodeLabels: rarely(fc.record({ key: text, value: text })),
      namespaces: rarely(text),
    })
    .map((rule) => compact(rule) as Rule),
  { maxLength: 3 },
);

export const anyNode = fc.record({ name: text, labels: list(fc.record({ key: text, value: text })) });

export const anyCandidate: fc.Arbitrary<Candidate> = fc
  .record({
    name: fc.oneof(text, fc.constantFrom(`usb-${'0'.repeat(40)}`, `usb-${'1'.repeat(40)}`)),
    node: text,
    busId: text,
    vendorId: word,
    productId: word,
    serial: maybe(text),
    product: maybe(text),
  })
  .map((candidate) => compact(candidate) as Candidate);

export const anySelector = fc.oneof(
  text,
  id,
  fc.tuple(text, text).map(([node, busId]) => `${node}/${busId}`),
);
