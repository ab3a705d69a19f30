// The file of names: only what this version wrote is read.
import { describe, expect, it } from 'vitest';
import { decodeIdentityMap, encodeIdentityMap, type KnownIdentity } from '../../../node/usb/identity-map.ts';
import { errorCode } from '../../support/error-code.ts';

const KNOWN: KnownIdentity = {
  name: `usb-${'0a'.repeat(20)}`,
  identity: '0951:1666:S1',
  form: 'serial',
  duplicateSerial: false,
  vendorId: 0x0951,
  productId: 0x1666,
  serial: 'S1',
  portPath: '0000:00:14.0-1',
  busId: '1-1',
};

/** A map whose checksum fits, with one entry that may be wrong. */
const written = (entry: object) => encodeIdentityMap([{ ...KNOWN, ...entry } as KnownIdentity]);

describe('the map of identities', () => {
  it('is the same after writing and reading', () => {
    const other = { ...KNOWN, name: `usb-${'0b'.repeat(20)}`, descriptorsHash: 'ab' };
    expect(decodeIdentityMap(encodeIdentityMap([KNOWN, other]))).toEqual([KNOWN, other]);
    expect(decodeIdentityMap(encodeIdentityMap([]))).toEqual([]);
  });

  it('is the same file whatever the order of keys', () => {
    const turned = Object.fromEntries(Object.entries(KNOWN).reverse()) as unknown as KnownIdentity;
    expect(encodeIdentityMap([turned])).toBe(encodeIdentityMap([KNOWN]));
  });

  it.each([
    ['nothing', ''],
    ['half of it', encodeIdentityMap([KNOWN]).slice(0, 80)],
    ['no object', '[]'],
    ['null', 'null'],
    ['another version', encodeIdentityMap([KNOWN]).replace('"version": 1', '"version": 2')],
    ['a changed letter', encodeIdentityMap([KNOWN]).replace('S1"', 'S2"')],
    ['no list', '{"version":1,"checksum":"","devices":{}}'],
    ['a name twice', encodeIdentityMap([KNOWN, KNOWN])],
    ['a name of another form', written({ name: 'usb-1' })],
    ['a number that is too big', written({ vendorId: 0x10000 })],
    ['a serial form without a serial', written({ serial: undefined })],
    ['an unknown form', written({ form: 'hash' })],
    ['an empty port', written({ portPath: '' })],
  ])('is corrupt with %s', async (_, text) => {
    expect(await errorCode(() => decodeIdentityMap(text))).toBe('CORRUPT_STATE');
  });
});
