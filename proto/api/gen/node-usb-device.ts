// Generated from ../schemas by `npm run generate`: do not edit.
import type { ObjectMeta } from '../resource.ts';
import type { Condition } from './condition.ts';
import type { UsbDeviceAttributes } from './usb-device-attributes.ts';

/**
 * A USB device of the cluster, for its administrators: they assign it to a namespace here.
 */
export interface NodeUsbDevice {
  /**
   * virtualization.deckhouse.io/v1alpha2.
   */
  apiVersion?: string;
  /**
   * NodeUSBDevice.
   */
  kind?: string;
  /**
   * Name: that of the device in lower case, with - for each dot.
   */
  metadata: ObjectMeta & { name: string };
  /**
   * What the administrator wants.
   */
  spec: {
    /**
     * Namespace whose virtual machines and pods may use the device; empty: none.
     */
    assignedNamespace?: string;
    /**
     * Addition: the fingerprint that an administrator approved; empty: the one that the device had when it was assigned.
     */
    fingerprint?: string;
  };
  /**
   * What the controller sees.
   */
  status?: {
    attributes?: UsbDeviceAttributes;
    /**
     * Node that the device is plugged into, or was when it was last seen.
     */
    nodeName?: string;
    /**
     * Ready: the device is there. Assigned: a namespace has it. Attached: a virtual machine uses it.
     */
    conditions?: Condition[];
    /**
     * Generation of the object that this status tells of.
     */
    observedGeneration?: number;
    /**
     * Addition: what the device is told from others by: vid:pid:serial, or vid:pid@port.
     */
    identity?: string;
    /**
     * Addition: sha256: and hex over the numbers and interface classes of the device that is plugged in now.
     */
    fingerprint?: string;
    /**
     * Addition: the fingerprint that the assignment is for; a device with another one is not Ready.
     */
    pinnedFingerprint?: string;
  };
}
