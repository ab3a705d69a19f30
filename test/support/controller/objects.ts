// Small objects for the tests of the USB controller.
import type { NodeFacts, Observed, TemplateFacts } from '../../../node/controller/observed.ts';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import { DRIVER, FINALIZERS, NODE_ANNOTATIONS, TEMPLATE_ANNOTATIONS } from '../../../proto/api/names.ts';
import type { DeviceTaint, ResourceSlice, SliceDevice } from '../../../proto/api/resource.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';

/** 2026-01-01T00:00:00Z. */
export const START = Date.UTC(2026, 0, 1);

export const DIGITS_A = 'aa'.repeat(32);
export const DIGITS_B = 'bb'.repeat(32);
export const PRINT_A = `sha256:${DIGITS_A}`;
export const PRINT_B = `sha256:${DIGITS_B}`;

export interface DeviceChoice {
  /** 64 hex digits. */
  readonly fingerprint?: string;
  readonly serial?: string;
  readonly busID?: string;
  readonly speed?: number;
  readonly taints?: DeviceTaint[];
}

/** As the agent publishes it. */
export function pluggedDevice(name: string, choice: DeviceChoice = {}): SliceDevice {
  const { fingerprint = DIGITS_A, serial = 'S1', busID = '2-1', speed = 5_000, taints } = choice;
  return {
    name,
    attributes: {
      name: { string: name },
      busID: { string: busID },
      path: { string: `/sys/bus/usb/devices/${busID}` },
      vendorID: { string: '46f4' },
      productID: { string: '0001' },
      bcd: { string: '0100' },
      bus: { string: '002' },
      deviceNumber: { string: '003' },
      devicePath: { string: '/dev/bus/usb/002/003' },
      usbAddress: { string: '002:003' },
      manufacturer: { string: 'LAB' },
      product: { string: 'disk' },
      serial: { string: serial },
      identity: { string: `46f4:0001:${serial}` },
      fingerprint: { string: fingerprint },
      class: { string: '00' },
      major: { int: 189 },
      minor: { int: 130 },
      speed: { int: speed },
    },
    ...(taints && { taints }),
  };
}

export interface PoolChoice {
  readonly generation?: number;
  readonly count?: number;
  readonly name?: string;
}

export function slice(pool: string, devices: SliceDevice[], choice: PoolChoice = {}): ResourceSlice {
  const { generation = 1, count = 1, name = `${pool}-slice` } = choice;
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1' },
    spec: { driver: DRIVER, pool: { name: pool, generation, resourceSliceCount: count }, devices },
  };
}

export function node(name: string, facts: Partial<NodeFacts> = {}): NodeFacts {
  return { metadata: { name, resourceVersion: '1' }, ready: true, since: START, ...facts };
}

/** A node whose vhci ports are used as told, of eight a hub. */
export function nodeWithPorts(name: string, used: { highSpeed: number; superSpeed: number }): NodeFacts {
  const annotations = {
    [NODE_ANNOTATIONS.totalPorts]: '16',
    [NODE_ANNOTATIONS.highSpeedUsed]: String(used.highSpeed),
    [NODE_ANNOTATIONS.superSpeedUsed]: String(used.superSpeed),
  };
  return node(name, { metadata: { name, annotations } });
}

export function nodeUsbDevice(
  name: string,
  spec: NodeUsbDevice['spec'] = {},
  more: { status?: NodeUsbDevice['status']; metadata?: Partial<NodeUsbDevice['metadata']> } = {},
): NodeUsbDevice {
  const { status, metadata } = more;
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1', generation: 1, ...metadata },
    spec: { assignedNamespace: '', ...spec },
    ...(status && { status }),
  };
}

export function usbDevice(
  namespace: string,
  name: string,
  metadata: Partial<UsbDevice['metadata']> = {},
): UsbDevice {
  return {
    metadata: {
      namespace,
      name,
      uid: `uid-${namespace}-${name}`,
      resourceVersion: '1',
      generation: 1,
      finalizers: [FINALIZERS.usbDevice],
      ownerReferences: [
        {
          apiVersion: 'virtualization.deckhouse.io/v1alpha2',
          kind: 'NodeUSBDevice',
          name,
          uid: `uid-${name}`,
          controller: true,
        },
      ],
      ...metadata,
    },
  };
}

export function template(namespace: string, usbDeviceName: string, hash = 'old'): TemplateFacts {
  const owner = usbDevice(namespace, usbDeviceName).metadata;
  return {
    metadata: {
      namespace,
      name: `${usbDeviceName}-template`,
      uid: `uid-${namespace}-${usbDeviceName}-template`,
      resourceVersion: '1',
      annotations: { [TEMPLATE_ANNOTATIONS.specHash]: hash },
      ownerReferences: [
        {
          apiVersion: 'virtualization.deckhouse.io/v1alpha2',
          kind: 'USBDevice',
          name: usbDeviceName,
          uid: owner.uid ?? '',
          controller: true,
        },
      ],
    },
  };
}

/** A machine that wants the devices; it has those of `attached`. */
export function virtualMachine(
  namespace: string,
  name: string,
  wanted: readonly string[],
  choice: { attached?: readonly string[]; nodeName?: string } = {},
): VirtualMachine {
  const { attached = [], nodeName } = choice;
  return {
    metadata: { namespace, name },
    spec: { usbDevices: wanted.map((each) => ({ name: each })) },
    status: {
      ...(nodeName !== undefined && { nodeName }),
      usbDevices: [...new Set([...wanted, ...attached])].map((each) => ({
        name: each,
        attached: attached.includes(each),
        ready: true,
      })),
    },
  };
}

/** A cluster with one node `a` and the namespaces `lab` and `shop`, in which nothing is plugged. */
export function observed(parts: Partial<Observed> = {}): Observed {
  return {
    slices: [],
    nodes: new Map([['a', node('a')]]),
    namespaces: new Set(['lab', 'shop']),
    nodeUsbDevices: [],
    usbDevices: [],
    templates: [],
    virtualMachines: [],
    missingNodes: new Map(),
    ...parts,
  };
}
