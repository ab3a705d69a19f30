// The files that others read: checkpoints of a former version of us, CDI files by the container runtime.
import { describe, expect, it } from 'vitest';
import { cdiId, claimCdiSpec, commonCdiSpec } from '../../../node/dra/cdi.ts';
import { type ClaimCheckpoint, decodeCheckpoint, encodeCheckpoint } from '../../../node/dra/checkpoint.ts';
import { sliceDevice } from '../../../node/dra/device-attributes.ts';
import { published } from '../../support/dra/objects.ts';

const uid = '7c1dd0ee-0d5c-4f7c-8f0e-0123456789ab';

const checkpoint: ClaimCheckpoint = {
  bootId: 'b00t',
  claim: { namespace: 'vms', name: 'disk', uid },
  state: 'PrepareCompleted',
  since: '2026-01-01T00:00:00.000Z',
  devices: [
    {
      requests: ['usb'],
      pool: 'a',
      device: 'usb-far',
      mode: 'usbfs',
      shareId: 's1',
      cdiId: cdiId(uid, 'usb-far'),
      attachment: {
        kind: 'import',
        mode: 'usbfs',
        port: 8,
        devid: 131_075,
        peer: '10.0.0.1:4280',
        remoteBusId: '2-1',
      },
      usbAddress: '010:005',
    },
    {
      requests: ['key'],
      pool: 'b',
      device: 'usb-near',
      mode: 'driver',
      cdiId: cdiId(uid, 'usb-near'),
      attachment: { kind: 'local', mode: 'driver', busId: '1-4', devid: 0x10005 },
    },
  ],
};

const checkpointText = `{
  "version": 1,
  "checksum": "sha256:76eafb81adec9b870111e689edb3c48b4c9b756c0d1b60131ed5fef7e9fb9879",
  "checkpoint": {
    "bootId": "b00t",
    "claim": {
      "namespace": "vms",
      "name": "disk",
      "uid": "7c1dd0ee-0d5c-4f7c-8f0e-0123456789ab"
    },
    "state": "PrepareCompleted",
    "since": "2026-01-01T00:00:00.000Z",
    "devices": [
      {
        "requests": [
          "usb"
        ],
        "pool": "a",
        "device": "usb-far",
        "mode": "usbfs",
        "shareId": "s1",
        "cdiId": "dra.virtualization.deckhouse.io/usb=7c1dd0ee-0d5c-4f7c-8f0e-0123456789ab-usb-far",
        "usbAddress": "010:005",
        "attachment": {
          "kind": "import",
          "mode": "usbfs",
          "port": 8,
          "devid": 131075,
          "peer": "10.0.0.1:4280",
          "remoteBusId": "2-1"
        }
      },
      {
        "requests": [
          "key"
        ],
        "pool": "b",
        "device": "usb-near",
        "mode": "driver",
        "cdiId": "dra.virtualization.deckhouse.io/usb=7c1dd0ee-0d5c-4f7c-8f0e-0123456789ab-usb-near",
        "attachment": {
          "kind": "local",
          "mode": "driver",
          "busId": "1-4",
          "devid": 65541
        }
      }
    ]
  }
}
`;

describe('a checkpoint', () => {
  it('has this text', () => {
    expect(encodeCheckpoint(checkpoint)).toBe(checkpointText);
  });

  it('is read from this text', () => {
    expect(decodeCheckpoint(checkpointText)).toEqual(checkpoint);
  });
});

describe('a CDI file', () => {
  it('of a claim has the environment and nodes that containers know', () => {
    const usable = {
      busId: '10-1',
      busNumber: 10,
      deviceNumber: 5,
      nodes: [
        { path: '/dev/bus/usb/010/005', type: 'c' as const, major: 189, minor: 1156 },
        { path: '/dev/sda', type: 'b' as const, major: 8, minor: 0 },
      ],
    };
    const spec = claimCdiSpec(uid, { uid: 0, gid: 64_535 }, [{ device: 'usb-0a1b', usable }]);
    expect(spec).toEqual({
      cdiVersion: '0.5.0',
      kind: 'dra.virtualization.deckhouse.io/usb',
      devices: [
        {
          name: '7c1dd0ee-0d5c-4f7c-8f0e-0123456789ab-usb-0a1b',
          containerEdits: {
            env: [
              'DRA_USB_0a1b_RESOURCE_CLAIM=7c1dd0ee-0d5c-4f7c-8f0e-0123456789ab',
              'DRA_USB_CLAIM_UID_7C1DD0EE-0D5C-4F7C-8F0E-0123456789AB=7c1dd0ee-0d5c-4f7c-8f0e-0123456789ab',
              'DRA_USB_DEVICE_NAME_USB-0A1B=usb-0a1b',
              'DRA_USB_CLAIM_UID_7C1DD0EE-0D5C-4F7C-8F0E-0123456789AB_DEVICE_NAME=usb-0a1b',
              'DRA_USB_USB-0A1B_DEVICE_PATH=/dev/bus/usb/010/005',
              'DRA_USB_USB-0A1B_BUS_DEVICENUMBER=010:005',
            ],
            deviceNodes: [
              {
                path: '/dev/bus/usb/010/005',
                type: 'c',
                major: 189,
                minor: 1156,
                permissions: 'mrw',
                fileMode: 0o660,
                uid: 0,
                gid: 64_535,
              },
              {
                path: '/dev/sda',
                type: 'b',
                major: 8,
                minor: 0,
                permissions: 'mrw',
                fileMode: 0o660,
                uid: 0,
                gid: 64_535,
              },
            ],
          },
        },
      ],
    });
  });

  it('for all claims tells node and driver', () => {
    expect(commonCdiSpec('node-b')).toEqual({
      cdiVersion: '0.5.0',
      kind: 'dra.virtualization.deckhouse.io/usb',
      devices: [
        {
          name: 'common',
          containerEdits: {
            env: ['DRA_RESOURCE_DRIVER_NAME=virtualization-usb', 'KUBERNETES_NODE_NAME=node-b'],
          },
        },
      ],
    });
  });
});

describe('a device in a slice', () => {
  it('has the sixteen known attributes and three of ours', () => {
    expect(sliceDevice(published('usb-x', { identity: '46f4:0001:S1', serial: 'S1', class: 'ef' }))).toEqual({
      name: 'usb-x',
      attributes: {
        name: { string: 'usb-x' },
        path: { string: '/sys/bus/usb/devices/2-1' },
        busID: { string: '2-1' },
        manufacturer: { string: 'LAB' },
        product: { string: 'disk' },
        serial: { string: 'S1' },
        vendorID: { string: '46f4' },
        productID: { string: '0001' },
        bcd: { string: '0100' },
        bus: { string: '002' },
        deviceNumber: { string: '003' },
        major: { int: 189 },
        minor: { int: 130 },
        speed: { int: 5000 },
        devicePath: { string: '/dev/bus/usb/002/003' },
        usbAddress: { string: '002:003' },
        identity: { string: '46f4:0001:S1' },
        fingerprint: { string: 'ab'.repeat(32) },
        class: { string: 'ef' },
      },
    });
  });
});
