// What the controller knows of the cluster when it plans: the parts of the objects that its decisions need.
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import type { ObjectMeta, ResourceSlice } from '../../proto/api/resource.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';

export interface NodeFacts {
  readonly metadata: ObjectMeta;
  readonly ready: boolean;
  /** Milliseconds since the epoch at which `ready` last changed; undefined when the node does not say. */
  readonly since: number | undefined;
}

export interface TemplateFacts {
  readonly metadata: ObjectMeta;
}

export interface Observed {
  /** Of our driver. */
  readonly slices: readonly ResourceSlice[];
  readonly nodes: ReadonlyMap<string, NodeFacts>;
  /** Those in which objects can be made: one that is being deleted takes none. */
  readonly namespaces: ReadonlySet<string>;
  readonly nodeUsbDevices: readonly NodeUsbDevice[];
  readonly usbDevices: readonly UsbDevice[];
  readonly templates: readonly TemplateFacts[];
  readonly virtualMachines: readonly VirtualMachine[];
  /** Pool -> milliseconds since the epoch at which its Node was first missed. */
  readonly missingNodes: ReadonlyMap<string, number>;
}
