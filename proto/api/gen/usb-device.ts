// Generated from ../schemas by `npm run generate`: do not edit.
import type { ObjectMeta } from '../resource.ts';
import type { Condition } from './condition.ts';
import type { UsbDeviceAttributes } from './usb-device-attributes.ts';

/**
 * A USB device that is assigned to this namespace: its virtual machines name it, its pods use the ResourceClaimTemplate beside it.
 */
export interface UsbDevice {
  /**
   * virtualization.deckhouse.io/v1alpha2.
   */
  apiVersion?: string;
  /**
   * USBDevice.
   */
  kind?: string;
  /**
   * Name: that of the NodeUSBDevice.
   */
  metadata: ObjectMeta & { name: string };
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
     * Ready: the device is there. Attached: a virtual machine uses it.
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
  };
}
