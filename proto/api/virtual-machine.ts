// The parts of a VirtualMachine (virtualization.deckhouse.io/v1alpha2) that concern USB devices.
import type { ObjectMeta } from './resource.ts';

/** One entry of `status.usbDevices`. */
export interface VirtualMachineUsbDevice {
  /** Name of a USBDevice in the namespace of the machine. */
  name: string;
  attached: boolean;
  ready: boolean;
  /** Where the guest sees it. */
  address?: { bus: number; port: number };
  /** True when it was attached while the machine ran. */
  hotplugged?: boolean;
}

export interface VirtualMachine {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta & { name: string };
  spec: {
    /** At most 8, each a USBDevice in the same namespace; changes apply at once, without a restart. */
    usbDevices?: { name: string }[];
  };
  status?: {
    /** `Running`, `Stopped`, `Migrating`, ... */
    phase?: string;
    nodeName?: string;
    usbDevices?: VirtualMachineUsbDevice[];
  };
}
