// The device that a person means, as the cluster is now.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { KubeClient } from '../../../proto/kube/client.ts';
import type { Host } from '../../run/host.ts';
import { type DeviceRow, joinDevices } from '../device-row.ts';
import { findDevice } from '../find-device.ts';
import { type ApiKind, factsOf, readFacts, type UsbCollections } from '../read-facts.ts';

export interface DeviceReading {
  readonly row: DeviceRow;
  readonly collections: UsbCollections;
}

const KINDS: Readonly<Record<ApiKind, string>> = {
  nodeUsbDevices: 'NodeUSBDevice',
  usbDevices: 'USBDevice',
  virtualMachines: 'VirtualMachine',
};

/** `namespace` is where USBDevices and VMs are looked for; undefined: everywhere. Rejects as `findDevice` throws. */
export async function readDevice(
  kube: KubeClient,
  host: Host,
  selector: string,
  namespace: string | undefined,
): Promise<DeviceReading> {
  const [collections, select] = await Promise.all([readFacts(kube, namespace), host.loadSelect()]);
  const rows = joinDevices(factsOf(collections), host.now());
  return { row: findDevice(selector, rows, select), collections };
}

/** Throws FORBIDDEN or API_NOT_SERVED when one of the kinds could not be listed. */
export function needKinds({ refusals }: UsbCollections, ...kinds: ApiKind[]): void {
  for (const kind of kinds) {
    const refusal = refusals.get(kind);
    if (refusal?.code === 'API_NOT_SERVED') {
      throw new TypedError(
        'API_NOT_SERVED',
        `this cluster does not know ${KINDS[kind]} objects (${kind.toLowerCase()}.virtualization.deckhouse.io)`,
        kind === 'virtualMachines'
          ? 'there are no virtual machines here; pods get devices with: kubectl virt usb claim DEVICE'
          : 'install virt-node with its usb-controller, which brings their definition',
        { cause: refusal },
      );
    }
    if (refusal) throw refusal;
  }
}
