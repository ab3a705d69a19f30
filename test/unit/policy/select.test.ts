// From what a person types to a device, asked of the built component.
import { describe, expect, it } from 'vitest';
import { type Candidate, loadDevicePolicy } from '../../../wasm/host/device-policy.ts';
import { candidate, codeOf } from './sample.ts';

const policy = await loadDevicePolicy();

const KEY = candidate({
  name: `usb-c0ffee${'1'.repeat(34)}`,
  busId: '1-4',
  vendorId: 0x1050,
  productId: 0x0407,
  serial: '0012345',
  product: 'YubiKey OTP+FIDO+CCID',
});
const STICK = candidate({ name: `usb-c0ffee${'2'.repeat(34)}` });
const TWIN = candidate({ name: `usb-beef00${'3'.repeat(34)}`, node: 'worker-2', serial: 'E0D55EA6' });
const HUB_CARD = candidate({
  name: `usb-dead00${'4'.repeat(34)}`,
  node: 'worker-2',
  busId: '2-1',
  vendorId: 0x0bda,
  productId: 0x8153,
  serial: '000001',
  product: 'USB-C Dock   LAN',
});
const {
  serial: _,
  product: __,
  ...NAMELESS
} = candidate({
  name: `usb-feed00${'5'.repeat(34)}`,
  busId: '9-9',
  vendorId: 0x1a86,
  productId: 0x7523,
});
const ALL: Candidate[] = [KEY, STICK, TWIN, HUB_CARD, NAMELESS];

describe('a selector', () => {
  it.each([
    ['a whole name', KEY.name, [0]],
    ['the beginning of a name', 'usb-beef', [2]],
    ['a beginning that two names share', 'usb-c0ffee', [0, 1]],
    ['vid:pid', '1050:0407', [0]],
    ['vid:pid in capitals', '0BDA:8153', [3]],
    ['vid:pid of twins', '0951:1666', [1, 2]],
    ['a serial number', 'E0D55EA6', [2]],
    ['a serial number with leading zeros', '0012345', [0]],
    ['node/busid', 'worker-2/3-2.1', [2]],
    ['the whole product text', 'datatraveler 3.0', [1, 2]],
    ['one word', 'yubikey', [0]],
    ['words in any order', 'lan dock', [3]],
    ['part of a word', 'travel', [1, 2]],
    ['a word that looks like the beginning of a name', 'usb-c', [3]],
    ['spaces around it', '  yubikey\t', [0]],
    ['runs of spaces', 'usb-c  dock lan', [3]],
    ['a device that has neither serial nor product', '1a86:7523', [4]],
  ])('of %s finds the device', (_, selector, found) => {
    expect(policy.select(selector, ALL)).toEqual(found);
  });

  it.each([
    ['another serial number in lower case', 'e0d55ea6'],
    ['part of a serial number', 'E0D55'],
    ['a name with one more digit', `${KEY.name}0`],
    ['a name in capitals', KEY.name.toUpperCase()],
    ['a bus id without its node', '3-2.1'],
    ['a bus id of another node', 'worker-2/1-4'],
    ['words that no text has together', 'yubikey lan'],
    ['a regular expression', '.*'],
    ['a glob', '*'],
  ])('of %s finds nothing', (_, selector) => {
    expect(policy.select(selector, ALL)).toEqual([]);
  });

  it('finds nothing among no candidates', () => {
    expect(policy.select('yubikey', [])).toEqual([]);
  });

  it.each([
    ['empty', ''],
    ['of spaces', ' \t\n '],
    ['overlong', 'x'.repeat(513)],
  ])('that is %s is refused with BAD_INPUT', (_, selector) => {
    expect(codeOf(() => policy.select(selector, ALL))).toBe('BAD_INPUT');
  });

  it('may have 512 characters', () => {
    expect(policy.select('x'.repeat(512), ALL)).toEqual([]);
  });
});

describe('the precedence of readings', () => {
  const NAME = `usb-${'a'.repeat(40)}`;
  const readings: [string, string, Partial<Candidate>, Partial<Candidate>][] = [
    ['a whole name over a serial number', NAME, { name: NAME }, { serial: NAME }],
    ['the beginning of a name over a serial number', 'usb-aaaa', { name: NAME }, { serial: 'usb-aaaa' }],
    ['vid:pid over a serial number', '0001:0002', { vendorId: 1, productId: 2 }, { serial: '0001:0002' }],
    ['a serial number over node/busid', 'n/1-1', { serial: 'n/1-1' }, { node: 'n', busId: '1-1' }],
    ['node/busid over a product', 'n/1-1', { node: 'n', busId: '1-1' }, { product: 'n/1-1' }],
    ['a serial number over a product', '3000', { serial: '3000' }, { product: '3000' }],
    [
      'a whole product text over words of one',
      'usb disk',
      { product: 'USB Disk' },
      { product: 'USB Disk Pro' },
    ],
  ];

  it.each(readings)('is %s', (_, selector, winner, loser) => {
    expect(policy.select(selector, [candidate(loser), candidate(winner), candidate()])).toEqual([1]);
    expect(policy.select(selector, [candidate(loser), candidate()])).toEqual([0]);
  });
});
