// Small Kubernetes objects and devices for the tests of the DRA driver.
import type { PublishedDevice } from '../../../node/dra/device-attributes.ts';
import type { ObjectRef, UsbDeviceStatus } from '../../../proto/api/gen/usb-node-status.ts';
import { DRIVER, NODE_ANNOTATIONS } from '../../../proto/api/names.ts';
import type { AllocatedConfig, ResourceClaim, ResourceSlice } from '../../../proto/api/resource.ts';
import type { KubeObject } from '../../../proto/kube/client.ts';

export function ref(name: string, uid = `uid-${name}`): ObjectRef {
  return { namespace: 'default', name, uid };
}

export interface Allocation {
  request?: string;
  pool: string;
  device: string;
  driver?: string;
  shareID?: string;
}

export function claimObject(
  { namespace, name, uid }: ObjectRef,
  allocations: readonly Allocation[],
  extra: { config?: AllocatedConfig[]; annotations?: Record<string, string>; pods?: ObjectRef[] } = {},
): ResourceClaim {
  const { config, annotations, pods } = extra;
  return {
    metadata: { namespace, name, uid, ...(annotations && { annotations }) },
    spec: {},
    status: {
      allocation: {
        devices: {
          results: allocations.map(({ request = 'usb', driver = DRIVER, ...rest }) => ({
            request,
            driver,
            ...rest,
          })),
          ...(config && { config }),
        },
      },
      ...(pods && { reservedFor: pods.map((pod) => ({ resource: 'pods', name: pod.name, uid: pod.uid })) }),
    },
  };
}

export function deviceStatus(name: string, changes: Partial<UsbDeviceStatus> = {}): UsbDeviceStatus {
  return {
    name,
    identity: `46f4:0001:${name}`,
    identityForm: 'serial',
    fingerprint: `sha256:${'ab'.repeat(32)}`,
    busID: '2-1',
    port: '0000:00:14.0-1',
    vendorID: '46f4',
    productID: '0001',
    bcd: '0100',
    manufacturer: 'LAB',
    product: 'disk',
    serial: name,
    speed: 5000,
    class: '00',
    interfaces: [{ number: 0, class: '08', subClass: '06', protocol: '50' }],
    devicePath: '/dev/bus/usb/002/003',
    verdict: 'Offered',
    rule: 'default',
    reason: 'not restricted',
    pluggedAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

export function published(name: string, changes: Partial<UsbDeviceStatus> = {}): PublishedDevice {
  return {
    device: {
      busNumber: 2,
      deviceNumber: 3,
      node: { path: '/dev/bus/usb/002/003', type: 'c', major: 189, minor: 130 },
    },
    status: deviceStatus(name, changes),
  };
}

export function nodeObject(name: string, address?: string): KubeObject {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      ...(address !== undefined && { annotations: { [NODE_ANNOTATIONS.address]: address } }),
    },
  };
}

export function sliceOf(
  pool: string,
  devices: ResourceSlice['spec']['devices'],
  generation = 1,
): ResourceSlice {
  return {
    metadata: { name: `${pool}-${DRIVER}-${generation}` },
    spec: {
      driver: DRIVER,
      pool: { name: pool, generation, resourceSliceCount: 1 },
      ...(devices && { devices }),
    },
  };
}
