// NodeUSBDevices, USBDevices and VirtualMachines for the tests of changes, and rows that know them.
import { type DeviceRow, joinDevices } from '../../../../plugin/usb/device-row.ts';
import type { UsbFacts } from '../../../../plugin/usb/facts.ts';
import type { Condition } from '../../../../proto/api/gen/condition.ts';
import type { NodeUsbDevice } from '../../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../../proto/api/gen/usb-device.ts';
import { NODE_USB_DEVICE, USB_DEVICE, VIRTUAL_MACHINE } from '../../../../proto/api/names.ts';
import type { VirtualMachine } from '../../../../proto/api/virtual-machine.ts';
import { ago, deviceOf, NOW, nodeOf, statusOf, usbName } from '../lab-facts.ts';

export const STICK = usbName('57c1');
export const FINGERPRINT = `sha256:${'5a'.repeat(32)}`;

export function condition(type: string, status: 'True' | 'False', reason: string, message = ''): Condition {
  return { type, status, reason, message, lastTransitionTime: ago(100) };
}

const attributes = {
  name: STICK,
  nodeName: 'worker-1',
  vendorID: '0951',
  productID: '1666',
  product: 'Stick',
  serial: 'S1',
};

function typed({ group, version, kind }: { group: string; version: string; kind: string }) {
  return { apiVersion: `${group}/${version}`, kind };
}

/** As the controller leaves it: assigned to `namespace` when one is given. */
export function nodeUsbDevice(
  namespace = '',
  given: { ready?: Condition; fingerprint?: string; spec?: Partial<NodeUsbDevice['spec']> } = {},
): NodeUsbDevice {
  const assigned = namespace
    ? condition('Assigned', 'True', 'Assigned')
    : condition('Assigned', 'False', 'Available');
  return {
    ...typed(NODE_USB_DEVICE),
    metadata: { name: STICK, uid: 'uid-of-stick', resourceVersion: '7', generation: 1 },
    spec: { assignedNamespace: namespace, ...given.spec },
    status: {
      attributes,
      nodeName: 'worker-1',
      fingerprint: given.fingerprint ?? FINGERPRINT,
      pinnedFingerprint: FINGERPRINT,
      observedGeneration: 1,
      conditions: [given.ready ?? condition('Ready', 'True', 'Ready'), assigned],
    },
  };
}

export function usbDevice(namespace: string, ...conditions: Condition[]): UsbDevice {
  return {
    ...typed(USB_DEVICE),
    metadata: { name: STICK, namespace, uid: `uid-of-stick-in-${namespace}`, resourceVersion: '8' },
    status: {
      attributes,
      nodeName: 'worker-1',
      conditions: [condition('Ready', 'True', 'Ready'), ...conditions],
    },
  };
}

export interface VmParts {
  readonly namespace?: string;
  readonly phase?: string;
  /** Names in the list; undefined: the VM has no list at all. */
  readonly list?: readonly string[] | undefined;
  readonly attached?: readonly string[];
}

export function vmOf(
  name: string,
  { namespace = 'lab', phase = 'Running', list, attached = [] }: VmParts = {},
): VirtualMachine {
  return {
    ...typed(VIRTUAL_MACHINE),
    metadata: { name, namespace, uid: `uid-of-${name}`, resourceVersion: '9' },
    spec: list ? { usbDevices: list.map((one) => ({ name: one })) } : {},
    status: { phase, usbDevices: attached.map((one) => ({ name: one, attached: true, ready: true })) },
  };
}

const STICK_FACTS = {
  product: 'Stick',
  serial: 'S1',
  identity: '0951:1666:S1',
  identityForm: 'serial',
} as const;

/** worker-1 with the stick in it, nothing else. */
export function stickFacts(
  given: Partial<UsbFacts> & { device?: Parameters<typeof deviceOf>[1] } = {},
): UsbFacts {
  const { device, ...facts } = given;
  return {
    statuses: [statusOf('worker-1', { devices: [deviceOf(STICK, { ...STICK_FACTS, ...device })] })],
    claims: [],
    nodes: [nodeOf('worker-1')],
    nodeUsbDevices: [nodeUsbDevice()],
    usbDevices: [],
    vms: [],
    ...facts,
  };
}

/** The facts after an administrator assigned the stick to `namespace`. */
export function assignedFacts(namespace = 'lab', given: Parameters<typeof stickFacts>[0] = {}): UsbFacts {
  return stickFacts({
    nodeUsbDevices: [nodeUsbDevice(namespace)],
    usbDevices: [usbDevice(namespace)],
    ...given,
  });
}

/** What worker-1 reports while nothing is plugged into it. */
export const UNPLUGGED = [statusOf('worker-1')];

export function stickRow(facts: UsbFacts): DeviceRow {
  const row = joinDevices(facts, NOW).find(({ name }) => name === STICK);
  if (!row) throw new Error('there is no stick');
  return row;
}
