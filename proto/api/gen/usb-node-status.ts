// Generated from ../schemas by `npm run generate`: do not edit.
import type { ObjectMeta } from '../resource.ts';

/**
 * Every USB device of a node, offered or not, and what the node holds. Written by the agent of that node only. All times are in UTC.
 */
export interface UsbNodeStatus {
  /**
   * kubectl-virt.dev/v1alpha1.
   */
  apiVersion?: string;
  /**
   * USBNodeStatus.
   */
  kind?: string;
  /**
   * Name: that of the node.
   */
  metadata: ObjectMeta & { name: string };
  /**
   * What the agent sees.
   */
  status?: {
    /**
     * Version of the agent.
     */
    agentVersion: string;
    /**
     * Release of the kernel of the node.
     */
    kernel: string;
    /**
     * Refreshed at least every minute; older than three minutes means that the agent is not running.
     */
    heartbeat: string;
    /**
     * sha256 hex of the rules in force.
     */
    rulesHash: string;
    /**
     * Ports for devices of other nodes.
     */
    ports: {
      highSpeed: HubPorts;
      superSpeed: HubPorts;
    };
    /**
     * Devices that are plugged into this node.
     */
    devices: UsbDeviceStatus[];
    /**
     * Devices that the kernel of this node uses for claims.
     */
    attachments: UsbAttachmentStatus[];
    /**
     * Devices of this node that other nodes hold.
     */
    exports: UsbExportStatus[];
  };
}
/**
 * Ports of the vhci hubs of one speed.
 */
export interface HubPorts {
  /**
   * How many there are.
   */
  total: number;
  /**
   * How many of them hold a device.
   */
  used: number;
}
/**
 * A device that is plugged into this node.
 */
export interface UsbDeviceStatus {
  /**
   * usb- and the sha1 of identity and node; the name in the ResourceSlice.
   */
  name: string;
  /**
   * What the device is told from others by: vid:pid:serial, or vid:pid@port.
   */
  identity: string;
  /**
   * serial: vid:pid:serial. port: vid:pid@port, because the serial is missing or held by a twin.
   */
  identityForm: 'serial' | 'port';
  /**
   * True when another device with the same vid:pid:serial was there first.
   */
  duplicateSerial?: boolean;
  /**
   * sha256: and hex over vid, pid, class and the set of interface classes: equal in USB 2 and USB 3 ports.
   */
  fingerprint: string;
  /**
   * sha256 hex of the raw descriptors, for information.
   */
  descriptorsHash?: string;
  /**
   * Name in the kernel, such as 2-1.
   */
  busID: string;
  /**
   * Controller and port chain, such as 0000:00:14.0-3.1: stable over reboots.
   */
  port: string;
  /**
   * idVendor, four lower-case hex digits.
   */
  vendorID: string;
  /**
   * idProduct, four lower-case hex digits.
   */
  productID: string;
  /**
   * bcdDevice, four lower-case hex digits.
   */
  bcd: string;
  /**
   * Text of the manufacturer, as the device tells it.
   */
  manufacturer?: string;
  /**
   * Text of the product, as the device tells it.
   */
  product?: string;
  /**
   * Serial number, as the device tells it.
   */
  serial?: string;
  /**
   * Speed in Mb/s; 1.5 for low speed.
   */
  speed: number;
  /**
   * bDeviceClass, two lower-case hex digits.
   */
  class: string;
  /**
   * Interfaces of the configuration in force.
   */
  interfaces: UsbInterfaceStatus[];
  /**
   * Device file on its node.
   */
  devicePath: string;
  /**
   * What the policy says: whether claims may have it.
   */
  verdict: 'Offered' | 'Blocked';
  /**
   * When set, only these namespaces may hold it.
   *
   * Items: A namespace.
   */
  namespaces?: string[];
  /**
   * Rule that the verdict comes from.
   */
  rule: string;
  /**
   * Why, for people.
   */
  reason: string;
  /**
   * When the agent first saw it plugged.
   */
  pluggedAt: string;
}
/**
 * One interface of a device; the classes have two lower-case hex digits.
 */
export interface UsbInterfaceStatus {
  /**
   * Number of the interface (bInterfaceNumber).
   */
  number: number;
  /**
   * bInterfaceClass.
   */
  class: string;
  /**
   * bInterfaceSubClass.
   */
  subClass: string;
  /**
   * bInterfaceProtocol.
   */
  protocol: string;
}
/**
 * A device that the kernel of this node uses for a claim: its own (local) or of another node.
 */
export interface UsbAttachmentStatus {
  claim: ObjectRef;
  pod?: ObjectRef;
  /**
   * Name of the device.
   */
  device: string;
  /**
   * Node that the device is plugged into.
   */
  pool: string;
  /**
   * usbfs: the device file only, no driver of this node. driver: what the drivers of this node make of it.
   */
  mode: 'usbfs' | 'driver';
  /**
   * local: plugged into this node. plain: over the network, not encrypted.
   */
  transport: 'local' | 'plain';
  /**
   * vhci port; absent for local ones.
   */
  vhciPort?: number;
  /**
   * Name in the kernel of this node.
   */
  busID: string;
  /**
   * How far it is.
   */
  state: 'Preparing' | 'Attached';
  /**
   * When it came to this state.
   */
  since: string;
}
/**
 * A claim or pod by name, with the uid that tells two of the same name apart.
 */
export interface ObjectRef {
  /**
   * Its namespace.
   */
  namespace: string;
  /**
   * Its name.
   */
  name: string;
  /**
   * Its uid.
   */
  uid: string;
}
/**
 * A device of this node that another node holds over USB/IP.
 */
export interface UsbExportStatus {
  /**
   * Name of the device.
   */
  device: string;
  /**
   * Name in the kernel of this node.
   */
  busID: string;
  /**
   * Name of the other node where known, else its address.
   */
  peer: string;
  claim?: ObjectRef;
  /**
   * plain: not encrypted.
   */
  transport: 'plain';
  /**
   * When the other node got it.
   */
  since: string;
}
