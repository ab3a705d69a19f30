// What ResourceSlices say of plugged devices, also while they are being rewritten.
import { describe, expect, it } from 'vitest';
import { pluggedDevices } from '../../../node/controller/plugged-devices.ts';
import { UNPLUGGED_TAINT } from '../../../proto/api/names.ts';
import { DIGITS_A, PRINT_A, pluggedDevice, slice } from '../../support/controller/objects.ts';

const namesOf = (...slices: Parameters<typeof pluggedDevices>[0]) => [
  ...pluggedDevices(slices).devices.keys(),
];

describe('pluggedDevices', () => {
  it('reads the attributes that the API shows, and leaves out path, bus ID and address', () => {
    const { devices } = pluggedDevices([slice('a', [pluggedDevice('usb-1', { serial: 'S9', speed: 480 })])]);
    expect(devices.get('usb-1')).toEqual({
      attributes: {
        name: 'usb-1',
        nodeName: 'a',
        bcd: '0100',
        bus: '002',
        deviceNumber: '003',
        devicePath: '/dev/bus/usb/002/003',
        manufacturer: 'LAB',
        product: 'disk',
        productID: '0001',
        serial: 'S9',
        vendorID: '46f4',
        major: 189,
        minor: 130,
        speed: 480,
      },
      nodeName: 'a',
      identity: '46f4:0001:S9',
      fingerprint: PRINT_A,
    });
  });

  it('takes a device that tells nothing as it is', () => {
    const { devices } = pluggedDevices([slice('a', [{ name: 'usb-1' }])]);
    expect(devices.get('usb-1')).toEqual({ attributes: { name: 'usb-1', nodeName: 'a' }, nodeName: 'a' });
  });

  it('ignores an attribute of another type', () => {
    const attributes = { speed: { string: '480' }, serial: { int: 7 }, fingerprint: { bool: true } };
    const { devices } = pluggedDevices([slice('a', [{ name: 'usb-1', attributes }])]);
    expect(devices.get('usb-1')?.attributes).toEqual({ name: 'usb-1', nodeName: 'a' });
  });

  it('names objects in lower case and without dots', () => {
    expect(namesOf(slice('a', [pluggedDevice('USB-1.2')]))).toEqual(['usb-1-2']);
  });

  it('takes a device that was pulled out of a claim as gone, but not one with another taint', () => {
    const taint = (key: string) => [{ key, effect: 'NoSchedule' as const }];
    const lost = pluggedDevice('usb-1', { taints: taint(UNPLUGGED_TAINT) });
    const odd = pluggedDevice('usb-2', { taints: taint('example.com/odd') });
    expect(namesOf(slice('a', [lost, odd]))).toEqual(['usb-2']);
  });

  it('gives a name in two pools to the first of them, in whatever order they come', () => {
    const slices = [slice('b', [pluggedDevice('usb-1')]), slice('a', [pluggedDevice('usb-1')])];
    expect(pluggedDevices(slices).devices.get('usb-1')?.nodeName).toBe('a');
    expect(pluggedDevices(slices.reverse()).devices.get('usb-1')?.nodeName).toBe('a');
  });
});

describe('a pool of several slices', () => {
  const part = (name: string, generation: number, count: number, ...devices: string[]) =>
    slice(
      'a',
      devices.map((each) => pluggedDevice(each)),
      { name, generation, count },
    );

  it('counts by its newest generation when that is complete', () => {
    const { devices, incomplete } = pluggedDevices([
      part('one', 2, 2, 'usb-1'),
      part('two', 2, 2, 'usb-2'),
      part('old', 1, 1, 'usb-3'),
    ]);
    expect([...devices.keys()]).toEqual(['usb-1', 'usb-2']);
    expect(incomplete.size).toBe(0);
  });

  it('is told to be incomplete otherwise, and old slices count behind new ones', () => {
    const old = slice('a', [pluggedDevice('usb-1', { speed: 12 }), pluggedDevice('usb-2')], { name: 'old' });
    const { devices, incomplete } = pluggedDevices([old, part('new', 2, 2, 'usb-1')]);
    expect([...incomplete]).toEqual(['a']);
    expect(devices.get('usb-1')?.attributes.speed).toBe(5_000);
    expect(devices.has('usb-2')).toBe(true);
  });

  it('without any device is complete and empty', () => {
    const empty = slice('a', []);
    expect(pluggedDevices([empty]).incomplete.size).toBe(0);
    expect(namesOf({ ...empty, spec: { driver: empty.spec.driver, pool: empty.spec.pool } })).toEqual([]);
  });

  it('does not disturb another pool', () => {
    const { incomplete } = pluggedDevices([part('one', 2, 2, 'usb-1'), slice('b', [pluggedDevice('usb-9')])]);
    expect([...incomplete]).toEqual(['a']);
  });

  it('keeps the digits of a fingerprint', () => {
    const { devices } = pluggedDevices([slice('a', [pluggedDevice('usb-1', { fingerprint: DIGITS_A })])]);
    expect(devices.get('usb-1')?.fingerprint).toBe(`sha256:${DIGITS_A}`);
  });
});
