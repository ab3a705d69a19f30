// What the CRDs say beside the schemas: scope, short names, and the columns of `kubectl get`.
import { NODE_USB_DEVICE, USB_DEVICE, USB_NODE_STATUS } from '../names.ts';

/** A column as a CRD has it; priority 1 is shown by `-o wide` only. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly priority?: 1;
}

export interface CustomKind {
  /** First line of the manifest. */
  readonly about: string;
  /** File in schemas/. */
  readonly schema: string;
  readonly names: { group: string; version: string; kind: string; plural: string };
  readonly scope: 'Cluster' | 'Namespaced';
  readonly shortName: string;
  readonly category?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
}

/** Clients of the component we replace find its kinds by these. */
const VIRTUALIZATION = {
  category: 'virtualization',
  labels: { heritage: 'deckhouse', module: 'virtualization' },
};

const AGE = date('Age', '.metadata.creationTimestamp');
const NODE = text('Node', '.status.nodeName');

export const CUSTOM_KINDS: readonly CustomKind[] = [
  {
    about: 'NodeUSBDevice: a USB device of the cluster, which an administrator assigns to a namespace.',
    schema: 'node-usb-device.json',
    names: NODE_USB_DEVICE,
    scope: 'Cluster',
    shortName: 'nusb',
    ...VIRTUALIZATION,
    columns: [
      NODE,
      condition('Ready'),
      condition('Assigned'),
      condition('Attached'),
      text('Namespace', '.spec.assignedNamespace'),
      AGE,
    ],
  },
  {
    about: 'USBDevice: a USB device that is assigned to a namespace.',
    schema: 'usb-device.json',
    names: USB_DEVICE,
    scope: 'Namespaced',
    shortName: 'usb',
    ...VIRTUALIZATION,
    columns: [
      NODE,
      wide(text('VendorID', '.status.attributes.vendorID')),
      wide(text('ProductID', '.status.attributes.productID')),
      wide(text('Bus', '.status.attributes.bus')),
      wide(text('DeviceNumber', '.status.attributes.deviceNumber')),
      text('Manufacturer', '.status.attributes.manufacturer'),
      text('Product', '.status.attributes.product'),
      wide(text('Serial', '.status.attributes.serial')),
      condition('Attached'),
      AGE,
    ],
  },
  {
    about: 'USBNodeStatus: every USB device of a node, offered or not, written by the agent of that node.',
    schema: 'usb-node-status.json',
    names: USB_NODE_STATUS,
    scope: 'Cluster',
    shortName: 'uns',
    columns: [
      date('Heartbeat', '.status.heartbeat'),
      text('Agent', '.status.agentVersion'),
      integer('HS-Used', '.status.ports.highSpeed.used'),
      integer('SS-Used', '.status.ports.superSpeed.used'),
    ],
  },
];

function text(name: string, jsonPath: string): Column {
  return { name, type: 'string', jsonPath };
}

function integer(name: string, jsonPath: string): Column {
  return { name, type: 'integer', jsonPath };
}

function date(name: string, jsonPath: string): Column {
  return { name, type: 'date', jsonPath };
}

function condition(type: string): Column {
  return text(type, `.status.conditions[?(@.type=="${type}")].status`);
}

function wide(column: Column): Column {
  return { ...column, priority: 1 };
}
