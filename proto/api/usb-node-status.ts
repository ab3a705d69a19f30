// USBNodeStatus (cluster scope, name = node): every USB device of a node, offered or not, and what the node holds.
// Written by the agent of that node only; read by the CLI. All times are RFC 3339 in UTC.

/** A claim or pod by name, with the uid that tells two of the same name apart. */
export interface ObjectRef {
  namespace: string;
  name: string;
  uid: string;
}

export interface UsbInterfaceStatus {
  number: number;
  /** Two lower-case hex digits each. */
  class: string;
  subClass: string;
  protocol: string;
}

export interface UsbDeviceStatus {
  /** `usb-` + sha1 of identity and node; the name in the ResourceSlice. */
  name: string;
  identity: string;
  /** `serial`: vid:pid:serial. `port`: vid:pid@port, because the serial is missing or held by a twin. */
  identityForm: 'serial' | 'port';
  /** True when another device with the same vid:pid:serial was there first. */
  duplicateSerial?: boolean;
  /** `sha256:` + hex over vid, pid, class and the set of interface classes: equal in USB 2 and USB 3 ports. */
  fingerprint: string;
  /** sha256 hex of the raw descriptors, for information. */
  descriptorsHash?: string;
  busID: string;
  /** Controller and port chain, e.g. `0000:00:14.0-3.1`: stable over reboots. */
  port: string;
  /** Four lower-case hex digits each. */
  vendorID: string;
  productID: string;
  bcd: string;
  manufacturer?: string;
  product?: string;
  serial?: string;
  /** Mb/s; 1.5 for low speed. */
  speed: number;
  class: string;
  interfaces: UsbInterfaceStatus[];
  /** Device file on its node. */
  devicePath: string;
  verdict: 'Offered' | 'Blocked';
  /** When set, only these namespaces may hold it. */
  namespaces?: string[];
  rule: string;
  reason: string;
  pluggedAt: string;
}

/** A device that this node's kernel uses for a claim: its own (`local`) or of another node (`plain`, ...). */
export interface UsbAttachmentStatus {
  claim: ObjectRef;
  pod?: ObjectRef;
  device: string;
  /** Node that the device is plugged into. */
  pool: string;
  mode: 'usbfs' | 'driver';
  transport: 'local' | 'plain';
  /** vhci port; absent for local ones. */
  vhciPort?: number;
  busID: string;
  state: 'Preparing' | 'Attached';
  since: string;
}

/** A device of this node that another node holds over USB/IP. */
export interface UsbExportStatus {
  device: string;
  busID: string;
  /** Node name where known, else the address. */
  peer: string;
  claim?: ObjectRef;
  transport: 'plain';
  since: string;
}

export interface HubPorts {
  total: number;
  used: number;
}

export interface UsbNodeStatus {
  apiVersion?: string;
  kind?: string;
  metadata: { name: string; resourceVersion?: string; uid?: string };
  status?: {
    agentVersion: string;
    kernel: string;
    /** Refreshed at least every minute; older than three minutes means that the agent is not running. */
    heartbeat: string;
    /** sha256 hex of the rules in force. */
    rulesHash: string;
    ports: { highSpeed: HubPorts; superSpeed: HubPorts };
    devices: UsbDeviceStatus[];
    attachments: UsbAttachmentStatus[];
    exports: UsbExportStatus[];
  };
}
