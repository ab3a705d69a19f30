// Devices as attributes of a slice, and back.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cutText, identityAttribute, sliceDevice, targetOf } from '../../../node/dra/device-attributes.ts';
import { published } from '../../support/dra/objects.ts';

describe('the attributes of a device', () => {
  it('leave out what is empty', () => {
    const { attributes = {} } = sliceDevice(published('usb-x', { serial: '', manufacturer: '' }));
    expect(Object.keys(attributes)).not.toContain('serial');
    expect(Object.keys(attributes)).not.toContain('manufacturer');
  });

  it('keep the taints, and have no such field without', () => {
    const taints = [{ key: 'unplugged', effect: 'NoSchedule' as const }];
    expect(sliceDevice({ ...published('usb-x'), taints }).taints).toEqual(taints);
    expect(sliceDevice(published('usb-x'))).not.toHaveProperty('taints');
  });

  it('say 1 for the 1.5 Mb/s of low speed', () => {
    expect(sliceDevice(published('usb-x', { speed: 1.5 })).attributes?.speed).toEqual({ int: 1 });
  });

  it('fit the limits of the API whatever the device says of itself', () => {
    const long = '\u{1F600}'.repeat(60);
    const texts = {
      serial: long,
      product: `a${long}`,
      manufacturer: `ab${long}`,
      identity: `46f4:0001:${long}`,
    };
    const { attributes = {} } = sliceDevice(published('usb-x', texts));
    const strings = Object.values(attributes).flatMap((attribute) =>
      'string' in attribute ? [attribute.string] : [],
    );
    expect(Math.max(...strings.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(64);
    expect(strings.join()).not.toContain('\uFFFD');
    expect(Object.keys(attributes).every((key) => /^[A-Za-z_]\w{0,31}$/.test(key))).toBe(true);
    expect(Object.keys(attributes).length).toBeLessThanOrEqual(32);
  });
});

describe('a text that is too long', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['aéé', 3, 'aé'],
    ['aéé', 4, 'aé'],
    ['\u{1F600}', 3, ''],
    ['a\u{1F600}b', 5, 'a\u{1F600}'],
  ])('%j cut to %i bytes is %j', (text, bytes, expected) => {
    expect(cutText(text, bytes)).toBe(expected);
  });
});

describe('an identity', () => {
  it('of 64 bytes stays as it is', () => {
    expect(identityAttribute('x'.repeat(64))).toBe('x'.repeat(64));
  });

  it('that is longer ends in a hash of the whole', () => {
    const identity = `46f4:0001:${'S'.repeat(80)}`;
    const hash = createHash('sha256').update(identity).digest('hex').slice(0, 32);
    expect(identityAttribute(identity)).toBe(`${identity.slice(0, 31)}~${hash}`);
  });
});

describe('what an importer reads', () => {
  it('is what the owner published', () => {
    expect(targetOf(sliceDevice(published('usb-x', { vendorID: '0951', serial: 'S1' })))).toEqual({
      busId: '2-1',
      vendorId: 0x0951,
      productId: 1,
      serial: 'S1',
      fingerprint: `sha256:${'ab'.repeat(32)}`,
    });
  });

  it('has a long serial as it was cut, and none where there is none', () => {
    expect(targetOf(sliceDevice(published('usb-x', { serial: 'S'.repeat(80) })))?.serial).toBe(
      'S'.repeat(64),
    );
    expect(targetOf(sliceDevice(published('usb-x', { serial: '' })))).not.toHaveProperty('serial');
  });

  it('works with a publisher that knows no fingerprint', () => {
    const device = sliceDevice(published('usb-x'));
    delete device.attributes?.fingerprint;
    expect(targetOf(device)).not.toHaveProperty('fingerprint');
  });

  it.each(['busID', 'vendorID', 'productID'])('is nothing without %s', (key) => {
    const device = sliceDevice(published('usb-x'));
    delete device.attributes?.[key];
    expect(targetOf(device)).toBeUndefined();
  });
});
