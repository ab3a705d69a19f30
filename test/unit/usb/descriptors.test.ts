// Raw descriptors by example; what garbage does to them is in the property tests.
import { describe, expect, it } from 'vitest';
import { defaultConfiguration, parseDescriptors } from '../../../node/usb/descriptors.ts';
import { buildDescriptors } from '../../support/usb-descriptors.ts';
import { diskSpec, networkSpec } from '../../support/usb-spec.ts';

const place = { busId: '1-1', deviceNumber: 2 };
const NETWORK = networkSpec(place);

describe('descriptors', () => {
  it('tell the device and every configuration', () => {
    expect(parseDescriptors(buildDescriptors(NETWORK))).toEqual({
      device: {
        vendorId: 0x0bda,
        productId: 0x8153,
        bcdDevice: 0x0100,
        class: 0,
        subClass: 0,
        protocol: 0,
        configurationCount: 2,
      },
      configurations: [
        { value: 1, interfaces: [{ number: 0, class: 0xff, subClass: 0xff, protocol: 0 }] },
        {
          value: 2,
          interfaces: [
            { number: 0, class: 2, subClass: 6, protocol: 0 },
            { number: 1, class: 10, subClass: 0, protocol: 0 },
          ],
        },
      ],
    });
  });

  it('tell alternate setting 0 only', () => {
    const uas = { class: 8, subClass: 6, protocol: 0x62 };
    const face = { class: 8, subClass: 6, protocol: 0x50, alternates: [uas] };
    const bytes = buildDescriptors({
      ...diskSpec(place),
      configurations: [{ value: 1, interfaces: [face] }],
    });
    expect(parseDescriptors(bytes).configurations[0]?.interfaces).toMatchObject([{ protocol: 0x50 }]);
  });

  it('of nothing are nothing', () => {
    expect(parseDescriptors(new Uint8Array())).toEqual({ configurations: [] });
  });

  it('keep the later configurations when one has a descriptor of length 0', () => {
    const bytes = Buffer.from(buildDescriptors(NETWORK));
    // The first interface of the first configuration.
    bytes[18 + 9] = 0;
    expect(parseDescriptors(bytes).configurations.map(({ interfaces }) => interfaces.length)).toEqual([0, 2]);
  });

  it('are read up to where they are cut off', () => {
    const bytes = buildDescriptors(NETWORK);
    expect(parseDescriptors(bytes.subarray(0, 17))).toEqual({ configurations: [] });
    expect(parseDescriptors(bytes.subarray(0, 18 + 9)).configurations).toEqual([
      { value: 1, interfaces: [] },
    ]);
    expect(parseDescriptors(bytes.subarray(0, 18 + 9 + 8)).configurations).toEqual([
      { value: 1, interfaces: [] },
    ]);
  });

  it('survive a configuration that says it is shorter than its header', () => {
    const bytes = Buffer.from(buildDescriptors(diskSpec(place)));
    bytes.writeUInt16LE(0, 18 + 2);
    expect(parseDescriptors(bytes).configurations).toEqual([{ value: 1, interfaces: [] }]);
  });
});

describe('the configuration that the kernel chooses', () => {
  const choose = (spec: Parameters<typeof buildDescriptors>[0]) =>
    defaultConfiguration(parseDescriptors(buildDescriptors(spec)))?.value;

  it('is the first that is not of a vendor', () => expect(choose(NETWORK)).toBe(2));
  it('is the first of a device that is of a vendor as a whole', () =>
    expect(choose({ ...NETWORK, deviceClass: 0xff })).toBe(1));
  it('is the first when all are of vendors', () =>
    expect(choose({ ...NETWORK, configurations: NETWORK.configurations.slice(0, 1) })).toBe(1));
  it('is none without any', () => expect(choose({ ...NETWORK, configurations: [] })).toBeUndefined());
});
