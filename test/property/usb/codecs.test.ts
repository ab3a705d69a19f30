// Bytes from the kernel and from devices: whatever they are, nothing breaks; what was written is read again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUevent, encodeUevent } from '../../../node/netlink/uevent.ts';
import { cleanText } from '../../../node/usb/clean-text.ts';
import { defaultConfiguration, parseDescriptors } from '../../../node/usb/descriptors.ts';
import { decodeIdentityMap, encodeIdentityMap, type KnownIdentity } from '../../../node/usb/identity-map.ts';
import { parseMountInfo, parseSwaps } from '../../../node/usb/use-tables.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { buildDescriptors } from '../../support/usb-descriptors.ts';
import { diskSpec } from '../../support/usb-spec.ts';

const byte = fc.integer({ min: 0, max: 255 });
const word = fc.integer({ min: 0, max: 0xffff });
const plain = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
const name = plain.map((text) => text.replaceAll('=', '')).filter((text) => text !== '');

/** `code` of the TypedError, or the result. Any other error fails the test. */
function outcome<T>(act: () => T): T | string {
  try {
    return act();
  } catch (error) {
    if (error instanceof TypedError) return error.code;
    throw error;
  }
}

const isPlainOutcome = (code: string) => (result: unknown) => typeof result !== 'string' || result === code;

describe('a uevent', () => {
  const event = fc.record({
    action: fc.stringMatching(/^[a-z]{1,10}$/),
    devpath: plain.map((path) => `/${path}`),
    env: fc.dictionary(name, plain),
  });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(event, (given) => {
        const read = decodeUevent(encodeUevent(given));
        expect(Object.entries(read.env)).toEqual(Object.entries(given.env));
        expect([read.action, read.devpath]).toEqual([given.action, given.devpath]);
      }),
    );
  });

  it('of garbage is refused, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
        isPlainOutcome('PROTOCOL')(outcome(() => decodeUevent(bytes))),
      ),
    );
  });

  it('with one byte changed is read or refused', () => {
    const bytes = encodeUevent({
      action: 'add',
      devpath: '/devices/usb1',
      env: { SUBSYSTEM: 'usb', SEQNUM: '1' },
    });
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), byte, (at, value) => {
        const changed = Uint8Array.from(bytes);
        changed[at] = value;
        return isPlainOutcome('PROTOCOL')(outcome(() => decodeUevent(changed)));
      }),
    );
  });
});

describe('descriptors', () => {
  const triple = fc.record({ class: byte, subClass: byte, protocol: byte });
  const face = fc.record({
    class: byte,
    subClass: byte,
    protocol: byte,
    alternates: fc.array(triple, { maxLength: 2 }),
  });
  const spec = fc
    .record({
      vendorId: word,
      productId: word,
      bcdDevice: word,
      deviceClass: byte,
      speed: fc.constantFrom(1.5, 12, 480, 5000),
      configurations: fc.array(fc.record({ value: byte, interfaces: fc.array(face, { maxLength: 8 }) }), {
        maxLength: 3,
      }),
    })
    .map((given) => diskSpec({ busId: '1-1', deviceNumber: 2, ...given }));

  it('are read as they were built', () => {
    fc.assert(
      fc.property(spec, (given) => {
        const { device, configurations } = parseDescriptors(buildDescriptors(given));
        expect(device).toMatchObject({
          vendorId: given.vendorId,
          productId: given.productId,
          class: given.deviceClass,
        });
        expect(configurations).toEqual(
          given.configurations.map(({ value, interfaces }) => ({
            value,
            interfaces: interfaces.map(({ alternates: _, ...codes }, number) => ({ number, ...codes })),
          })),
        );
      }),
    );
  });

  it('of garbage are read without an error, and never out of bounds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), spec, (garbage, given) => {
        const bytes = Uint8Array.from([...buildDescriptors(given), ...garbage]);
        defaultConfiguration(parseDescriptors(garbage));
        const { configurations } = parseDescriptors(bytes.subarray(0, bytes.length));
        return configurations.length >= given.configurations.length;
      }),
    );
  });

  it('that are damaged or cut anywhere are read without an error', () => {
    fc.assert(
      fc.property(spec, fc.nat(), fc.nat(), byte, (given, cut, at, value) => {
        const bytes = Uint8Array.from(buildDescriptors(given));
        bytes[at % bytes.length] = value;
        const { configurations } = parseDescriptors(bytes.subarray(0, cut % (bytes.length + 1)));
        for (const { interfaces } of configurations) {
          expect(new Set(interfaces.map(({ number }) => number)).size).toBe(interfaces.length);
        }
      }),
    );
  });
});

describe('a text of a device', () => {
  it('never holds a control character, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 250 }), (bytes) => {
        const text = cleanText(bytes) ?? '';
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(text).toBe(text.trim());
        expect(cleanText(Buffer.from(text)) ?? '').toBe(text);
      }),
    );
  });
});

describe('the map of identities', () => {
  const text = plain.filter((given) => given !== '');
  const known: fc.Arbitrary<KnownIdentity> = fc
    .record({
      name: fc.stringMatching(/^usb-[0-9a-f]{40}$/),
      identity: text,
      form: fc.constantFrom('serial' as const, 'port' as const),
      duplicateSerial: fc.boolean(),
      vendorId: word,
      productId: word,
      portPath: text,
      busId: text,
      serial: text,
    })
    .map((given) => given as KnownIdentity);
  const map = fc.uniqueArray(known, { selector: (entry) => entry.name, maxLength: 6 });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(map, (given) => {
        expect(decodeIdentityMap(encodeIdentityMap(given))).toEqual(given);
      }),
    );
  });

  it('of other text is corrupt, and nothing else', () => {
    const other = fc.oneof(
      fc.string(),
      fc.json(),
      map.map((given) => encodeIdentityMap(given).slice(1)),
    );
    fc.assert(fc.property(other, (given) => outcome(() => decodeIdentityMap(given)) === 'CORRUPT_STATE'));
  });
});

describe('the tables of the kernel', () => {
  it('may hold anything', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (given) => {
        parseSwaps(given);
        return parseMountInfo(given).every(
          ({ point, source }) => point !== undefined && source !== undefined,
        );
      }),
    );
  });
});
