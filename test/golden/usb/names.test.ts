// Names and fingerprints as they are on disk and in clusters: a change of one is a change of every assignment.
import { describe, expect, it } from 'vitest';
import { assignIdentities } from '../../../node/usb/assign-identities.ts';
import { descriptorsHash, fingerprint } from '../../../node/usb/fingerprint.ts';
import { encodeIdentityMap } from '../../../node/usb/identity-map.ts';
import { deviceOf } from '../../support/named-devices.ts';
import { adapterSpec, diskSpec, type UsbInterfaceSpec } from '../../support/usb-spec.ts';

const DISK = diskSpec({ busId: '1-1', deviceNumber: 2 });
const TWIN = diskSpec({ busId: '1-2', deviceNumber: 3 });
const ADAPTER = adapterSpec({ busId: '1-3', deviceNumber: 4 });

describe('names', () => {
  it('and their file stay as they are', async () => {
    const { map } = assignIdentities([DISK, TWIN, ADAPTER].map(deviceOf), [], new Set(), 'node-a');
    await expect(encodeIdentityMap(map)).toMatchFileSnapshot('identities.json.txt');
  });
});

describe('a fingerprint', () => {
  const face = (protocol: number): UsbInterfaceSpec => ({ class: 3, subClass: 1, protocol });
  const withFaces = (...interfaces: UsbInterfaceSpec[]) =>
    fingerprint(deviceOf({ ...DISK, configurations: [{ value: 1, interfaces }] }));

  it('stays as it is', () => {
    expect(fingerprint(deviceOf(DISK))).toBe(
      'sha256:5edfc5281f6870b22eb5286b9bab9517926b08019e070a3835a5f9d05c75c389',
    );
  });

  it('is equal in a slower port, where the descriptors are others', () => {
    const slow = deviceOf({ ...DISK, speed: 480 });
    expect(fingerprint(slow)).toBe(fingerprint(deviceOf(DISK)));
    expect(descriptorsHash(slow)).not.toBe(descriptorsHash(deviceOf(DISK)));
  });

  it('is equal while the device is exported', () => {
    expect(fingerprint(deviceOf({ ...DISK, driver: 'usbip-host' }))).toBe(fingerprint(deviceOf(DISK)));
  });

  it('is over a set: neither order nor number of interfaces counts', () => {
    expect(withFaces(face(1), face(2))).toBe(withFaces(face(2), face(1), face(2)));
    expect(withFaces(face(1))).not.toBe(withFaces(face(1), face(2)));
  });

  it('differs for another model and another class', () => {
    const others = [{ vendorId: 1 }, { productId: 1 }, { deviceClass: 0xef }].map((more) =>
      fingerprint(deviceOf({ ...DISK, ...more })),
    );
    expect(new Set([...others, fingerprint(deviceOf(DISK))]).size).toBe(4);
  });
});
