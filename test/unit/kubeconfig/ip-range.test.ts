// Addresses and ranges of NO_PROXY.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inIpRange, parseIp, parseIpRange } from '../../../proto/kube/config/ip-range.ts';

function within(range: string, address: string): boolean | undefined {
  const [parsed, bytes] = [parseIpRange(range), parseIp(address)];
  return parsed && bytes && inIpRange(parsed, bytes);
}

describe('an address', () => {
  it.each([
    ['10.0.0.1', [10, 0, 0, 1]],
    ['255.255.255.255', [255, 255, 255, 255]],
    ['::', Array(16).fill(0)],
    ['::1', [...Array(15).fill(0), 1]],
    ['2001:db8::5', [0x20, 1, 0x0d, 0xb8, ...Array(11).fill(0), 5]],
    ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ['::ffff:10.0.0.1', [10, 0, 0, 1]],
    ['::ffff:a00:1', [10, 0, 0, 1]],
  ])('%s', (text, bytes) => {
    expect(parseIp(text)).toEqual(bytes);
  });

  it.each([
    '',
    'a',
    '10',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.1.2',
    '1::2::3',
    ':',
    'g::',
    '[::1]',
    '1:2:3',
    'a:1',
    '::1%eth0',
  ])('is not %j', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe('a range', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['10.0.0.128/25', '10.0.0.129', true],
    ['10.0.0.128/25', '10.0.0.127', false],
    ['10.0.0.1/32', '10.0.0.1', true],
    ['10.0.0.1/32', '10.0.0.0', false],
    ['0.0.0.0/0', '198.51.100.7', true],
    ['0.0.0.0/0', '::1', false],
    ['fd00::/8', 'fdff::1', true],
    ['fd00::/8', 'fe00::1', false],
    ['::/0', '10.0.0.1', false],
  ])('%s with %s: %s', (range, address, expected) => {
    expect(within(range, address)).toBe(expected);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/', 'x/8', '::/129', '10.0.0.0/-1', '10.0.0.0/8/8'])(
    'is not %j',
    (text) => {
      expect(parseIpRange(text)).toBeUndefined();
    },
  );

  it('holds exactly the addresses that share its leading bits', () => {
    const bits = (text: string) =>
      (parseIp(text) ?? []).map((byte) => byte.toString(2).padStart(8, '0')).join('');
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (network, address, prefix) => {
        const same = bits(network).slice(0, prefix) === bits(address).slice(0, prefix);
        expect(within(`${network}/${prefix}`, address)).toBe(same);
      }),
      { numRuns: 200 },
    );
  });

  it('reads every spelling of an IPv6 address alike', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
        const short = new URL(`http://[${long}]`).hostname.slice(1, -1);
        expect(parseIp(short)).toEqual(parseIp(long));
        expect(parseIp(long.toUpperCase())).toEqual(parseIp(long));
      }),
      { numRuns: 200 },
    );
  });
});
