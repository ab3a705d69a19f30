// What the cluster says about USB devices, as the pure modules of this folder take it.
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import type { ObjectMeta, ResourceClaim } from '../../proto/api/resource.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';

/** The core v1 Node, as far as it is read. */
export interface NodeObject {
  metadata: ObjectMeta;
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

/** What is undefined may not be listed by this person, or is not served. */
export interface UsbFacts {
  readonly statuses: readonly UsbNodeStatus[];
  readonly claims?: readonly ResourceClaim[] | undefined;
  readonly nodes?: readonly NodeObject[] | undefined;
  readonly nodeUsbDevices?: readonly NodeUsbDevice[] | undefined;
  readonly usbDevices?: readonly UsbDevice[] | undefined;
  readonly vms?: readonly VirtualMachine[] | undefined;
}
