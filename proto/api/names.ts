// Every name that other programs rely on: driver, class, labels, annotations, CDI kind, paths of the kubelet.

/** DRA driver name; also the attribute domain in ResourceSlices. Kept equal to the component we replace. */
export const DRIVER = 'virtualization-usb';

/** DeviceClass that claims refer to. */
export const DEVICE_CLASS = 'usb-devices.virtualization.deckhouse.io';

/** Key of the taint on a device that was pulled out while a claim has it. */
export const UNPLUGGED_TAINT = 'kubectl-virt.dev/unplugged';

/** CDI vendor/class of the device nodes given to containers. */
export const CDI_KIND = 'dra.virtualization.deckhouse.io/usb';

/** Where the exporter listens for USB/IP. */
export const USBIP_PORT = 4280;

/** Labels on the agent's own Node. The short one exists because some CNIs hide the long one from their policies. */
export const NODE_LABELS = {
  gateway: 'virtualization.deckhouse.io/usb-gateway',
  gatewayShort: 'usb-gateway',
  /** `any` while both hubs of vhci have a free port, else the node's own name. */
  gatewayNode: 'virtualization.deckhouse.io/usb-gateway-node',
  highSpeed: 'virtualization.deckhouse.io/usb-gateway-high-speed',
  superSpeed: 'virtualization.deckhouse.io/usb-gateway-super-speed',
} as const;

/** Annotations on the agent's own Node; all values are text. */
export const NODE_ANNOTATIONS = {
  /** host:port of the exporter. */
  address: 'usb.virtualization.deckhouse.io/usbip-address',
  totalPorts: 'usb.virtualization.deckhouse.io/usbip-total-ports',
  usedPorts: 'usb.virtualization.deckhouse.io/usbip-used-ports',
  highSpeedUsed: 'usb.virtualization.deckhouse.io/usbip-high-speed-hub-used-ports',
  superSpeedUsed: 'usb.virtualization.deckhouse.io/usbip-super-speed-hub-used-ports',
} as const;

/** Annotations on ResourceClaims. */
export const CLAIM_ANNOTATIONS = {
  /** Numeric owner of the device nodes; written through the template. */
  deviceUser: 'usb.virtualization.deckhouse.io/device-user',
  deviceGroup: 'usb.virtualization.deckhouse.io/device-group',
  /** JSON text `[{"deviceName","usbAddress":"BBB:DDD"}]`, sorted by name; written by Prepare. */
  deviceAddresses: 'usb.virtualization.deckhouse.io/device-addresses',
} as const;

/** Opaque claim configuration understood by Prepare. */
export const ACCESS_CONFIG = { apiVersion: 'kubectl-virt.dev/v1alpha1', kind: 'USBAccess' } as const;

/** Our own API group: one cluster-scoped object a node with everything the agent knows. */
export const USB_NODE_STATUS = {
  group: 'kubectl-virt.dev',
  version: 'v1alpha1',
  kind: 'USBNodeStatus',
  plural: 'usbnodestatuses',
} as const;

/** Kinds of the component we replace, served under the same names so that its clients keep working. */
const VIRTUALIZATION = { group: 'virtualization.deckhouse.io', version: 'v1alpha2' } as const;

/** Cluster scope: a device as its administrator sees it. */
export const NODE_USB_DEVICE = {
  ...VIRTUALIZATION,
  kind: 'NodeUSBDevice',
  plural: 'nodeusbdevices',
} as const;

/** In a namespace: a device that is assigned to it. */
export const USB_DEVICE = { ...VIRTUALIZATION, kind: 'USBDevice', plural: 'usbdevices' } as const;

/** Only read and patched: its controller is not ours. */
export const VIRTUAL_MACHINE = {
  ...VIRTUALIZATION,
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
} as const;

/** Types of the conditions of NodeUSBDevice and USBDevice; a USBDevice has no `Assigned`. */
export const CONDITION_TYPES = { ready: 'Ready', assigned: 'Assigned', attached: 'Attached' } as const;

export const READY_REASONS = {
  ready: 'Ready',
  notReady: 'NotReady',
  /** The device is plugged into no node. */
  notFound: 'NotFound',
  /** Ours: another device than the one that was assigned answers to its identity. */
  fingerprintChanged: 'FingerprintChanged',
  /** Ours: the node or its agent does not answer, so what the slice says may be old. */
  nodeNotReady: 'NodeNotReady',
} as const;

export const ASSIGNED_REASONS = {
  assigned: 'Assigned',
  /** No namespace has it, or the one that should does not exist. */
  available: 'Available',
  /** A virtual machine still has it through a USBDevice that is being taken away. */
  inProgress: 'InProgress',
} as const;

export const ATTACHED_REASONS = {
  attached: 'AttachedToVirtualMachine',
  available: 'Available',
  detachedForMigration: 'DetachedForMigration',
  noFreePort: 'NoFreeUSBIPPort',
} as const;

export const FINALIZERS = {
  nodeUsbDevice: 'virtualization.deckhouse.io/nodeusbdevice-cleanup',
  usbDevice: 'virtualization.deckhouse.io/usbdevice-cleanup',
} as const;

/** On the ResourceClaimTemplates that the controller keeps. */
export const TEMPLATE_ANNOTATIONS = {
  /** md5 of the JSON text of the spec: a template is immutable, so another hash means delete and create. */
  specHash: 'virtualization.deckhouse.io/usb-claim-spec-hash',
} as const;

/** Accounts of the two workloads; the admission policies name them. */
export const SERVICE_ACCOUNTS = {
  namespace: 'kubectl-virt',
  agent: 'usb-agent',
  controller: 'usb-controller',
} as const;

/** On a Namespace: its claims of the device class are not checked by the admission policy. */
export const FREE_CLAIMS_LABEL = 'kubectl-virt.dev/free-claims';

/** Folders of the kubelet, relative to the host's root. */
export const KUBELET = {
  plugins: '/var/lib/kubelet/plugins',
  registry: '/var/lib/kubelet/plugins_registry',
} as const;

export const CDI_ROOT = '/var/run/cdi';
