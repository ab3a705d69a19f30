// Every name that other programs rely on: driver, class, labels, annotations, CDI kind, paths of the kubelet.

/** DRA driver name; also the attribute domain in ResourceSlices. Kept equal to the component we replace. */
export const DRIVER = 'virtualization-usb';

/** DeviceClass that claims refer to. */
export const DEVICE_CLASS = 'usb-devices.virtualization.deckhouse.io';

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

/** Folders of the kubelet, relative to the host's root. */
export const KUBELET = {
  plugins: '/var/lib/kubelet/plugins',
  registry: '/var/lib/kubelet/plugins_registry',
} as const;

export const CDI_ROOT = '/var/run/cdi';
