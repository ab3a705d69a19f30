// A small cluster with a device in each state, for the tests of the plugin. Times are relative to NOW.
import type { NodeObject } from '../../../plugin/usb/facts.ts';
import type { UsbDeviceStatus, UsbNodeStatus } from '../../../proto/api/gen/usb-node-status.ts';
import type { ResourceClaim } from '../../../proto/api/resource.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');

export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString().replace('.000', '');
}

/** `usb-` and 40 digits that begin with `start`. */
export function usbName(start: string): string {
  return `usb-${start.padEnd(40, '0123456789abcdef')}`;
}

export const DISK = usbName('a1f3');
export const CAMERA = usbName('b27c');
export const KEYBOARD = usbName('c3d0');
export const ADAPTER = usbName('d48e');
export const TWIN = usbName('d48f');
export const PRINTER = usbName('e5b1');
export const TOKEN = usbName('f60a');
export const LOST = usbName('0777');

export function deviceOf(name: string, given: Partial<UsbDeviceStatus> = {}): UsbDeviceStatus {
  return {
    name,
    identity: `0951:1666@0000:00:14.0-2`,
    identityForm: 'port',
    fingerprint: `sha256:${'5a'.repeat(32)}`,
    busID: '3-2',
    port: '0000:00:14.0-2',
    vendorID: '0951',
    productID: '1666',
    bcd: '0110',
    speed: 480,
    class: '00',
    interfaces: [{ number: 0, class: '08', subClass: '06', protocol: '50' }],
    devicePath: '/dev/bus/usb/003/017',
    verdict: 'Offered',
    rule: 'default/offer',
    reason: 'no rule blocks it',
    pluggedAt: ago(3600),
    ...given,
  };
}

export function statusOf(
  node: string,
  given: Partial<NonNullable<UsbNodeStatus['status']>> = {},
  version = '100',
): UsbNodeStatus {
  return {
    apiVersion: 'kubectl-virt.dev/v1alpha1',
    kind: 'USBNodeStatus',
    metadata: { name: node, uid: `uid-of-${node}`, resourceVersion: version },
    status: {
      agentVersion: '0.1.0',
      kernel: '6.12.8',
      heartbeat: ago(20),
      rulesHash: '0'.repeat(64),
      ports: { highSpeed: { total: 8, used: 0 }, superSpeed: { total: 8, used: 0 } },
      devices: [],
      attachments: [],
      exports: [],
      ...given,
    },
  };
}

export function claimOf(name: string, node: string, device: string, pods: string[] = []): ResourceClaim {
  return {
    metadata: { name, namespace: 'lab', uid: `uid-of-${name}`, creationTimestamp: ago(700) },
    spec: {},
    status: {
      allocation: {
        devices: { results: [{ request: 'usb', driver: 'virtualization-usb', pool: node, device }] },
        allocationTimestamp: ago(600),
      },
      reservedFor: pods.map((pod) => ({ resource: 'pods', name: pod, uid: `uid-of-${pod}` })),
    },
  };
}

export function nodeOf(name: string, ready = 'True'): NodeObject {
  return { metadata: { name }, status: { conditions: [{ type: 'Ready', status: ready }] } };
}

/** worker-1 exports its disk to worker-2; worker-3 is down. */
export function labStatuses(): UsbNodeStatus[] {
  const claim = { namespace: 'lab', name: 'disk', uid: 'uid-of-disk' };
  return [
    statusOf('worker-1', {
      devices: [
        deviceOf(DISK, {
          identity: '0951:1666:E0D55EA5741',
          identityForm: 'serial',
          descriptorsHash: '7b'.repeat(32),
          manufacturer: 'Kingston',
          product: 'DataTraveler 3.0',
          serial: 'E0D55EA5741',
          busID: '3-10',
          port: '0000:00:14.0-10',
        }),
        deviceOf(CAMERA, {
          vendorID: '046d',
          productID: '0892',
          product: 'HD Pro Webcam C920 with a name that is long',
          serial: '8E2D1F3A',
          identity: '046d:0892:8E2D1F3A',
          identityForm: 'serial',
          busID: '3-2',
          speed: 5000,
          class: 'ef',
          interfaces: [
            { number: 0, class: '0e', subClass: '01', protocol: '00' },
            { number: 1, class: '0e', subClass: '02', protocol: '00' },
            { number: 2, class: '01', subClass: '01', protocol: '00' },
          ],
          namespaces: ['lab', 'media'],
          rule: 'cameras',
          reason: 'rule cameras offers it to lab, media',
        }),
        deviceOf(KEYBOARD, {
          vendorID: '046d',
          productID: 'c31c',
          product: 'USB Keyboard',
          busID: '3-3',
          port: '0000:00:14.0-3',
          identity: '046d:c31c@0000:00:14.0-3',
          speed: 1.5,
          interfaces: [{ number: 0, class: '03', subClass: '01', protocol: '01' }],
          verdict: 'Blocked',
          rule: 'default/boot-keyboard-mouse',
          reason: 'it is a keyboard or mouse that a person types at the node with',
          pluggedAt: ago(9 * 86_400),
        }),
      ],
      exports: [
        { device: DISK, busID: '3-10', peer: 'worker-2', claim, transport: 'plain', since: ago(299) },
      ],
    }),
    statusOf('worker-2', {
      ports: { highSpeed: { total: 8, used: 1 }, superSpeed: { total: 8, used: 0 } },
      devices: [
        deviceOf(ADAPTER, {
          vendorID: '0403',
          productID: '6001',
          product: 'FT232R USB UART',
          serial: 'A50285BI',
          identity: '0403:6001@0000:00:14.0-4',
          duplicateSerial: true,
          busID: '1-4',
          port: '0000:00:14.0-4',
          speed: 12,
          class: 'ff',
          interfaces: [{ number: 0, class: 'ff', subClass: 'ff', protocol: 'ff' }],
        }),
        deviceOf(TWIN, {
          vendorID: '0403',
          productID: '6001',
          product: 'FT232R USB UART',
          serial: 'A50285BI',
          identity: '0403:6001:A50285BI',
          identityForm: 'serial',
          busID: '1-5',
          port: '0000:00:14.0-5',
          speed: 12,
          class: 'ff',
        }),
        deviceOf(PRINTER, {
          vendorID: '04b8',
          productID: '0005',
          product: '打印机 \u001b[2J\u202eXP',
          busID: '2-1',
          port: '0000:00:14.0-1',
          interfaces: [{ number: 0, class: '07', subClass: '01', protocol: '02' }],
          pluggedAt: ago(45),
        }),
      ],
      attachments: [
        {
          claim,
          pod: { namespace: 'lab', name: 'web', uid: 'uid-of-web' },
          device: DISK,
          pool: 'worker-1',
          mode: 'usbfs',
          transport: 'plain',
          vhciPort: 0,
          busID: '5-1',
          state: 'Attached',
          since: ago(300),
        },
      ],
    }),
    statusOf('worker-3', {
      heartbeat: ago(400),
      devices: [
        deviceOf(TOKEN, {
          vendorID: '1050',
          productID: '0407',
          product: 'YubiKey OTP+FIDO+CCID',
          busID: '1-1',
          port: '0000:00:14.0-1',
          speed: 12,
        }),
      ],
    }),
  ];
}

export function labClaims(): ResourceClaim[] {
  return [
    claimOf('disk', 'worker-1', DISK, ['web']),
    claimOf('serial', 'worker-2', ADAPTER),
    claimOf('dongle', 'worker-1', LOST, ['licence']),
  ];
}

export function labNodes(): NodeObject[] {
  return [nodeOf('worker-1'), nodeOf('worker-2'), nodeOf('worker-3', 'Unknown')];
}

export function labFacts() {
  return { statuses: labStatuses(), claims: labClaims(), nodes: labNodes() };
}
