// kubectl virt usb list --watch: one line for each device that changes.
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import type { ResourceClaim } from '../../proto/api/resource.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { Host } from '../run/host.ts';
import type { DeviceRow } from './device-row.ts';
import type { NodeObject, UsbFacts } from './facts.ts';
import { Feed } from './feed.ts';
import type { UsbCollections } from './read-facts.ts';
import { changedRows } from './row-changes.ts';

/** Milliseconds. A node that falls silent sends no event: its devices become Unreachable by the clock alone. */
const CLOCK_STEP = 10_000;

export interface WatchView {
  /** Rows as they stand on the screen. */
  readonly printed: readonly DeviceRow[];
  readonly rowsOf: (facts: UsbFacts) => DeviceRow[];
  readonly lineOf: (row: DeviceRow) => string;
}

/** Runs until the host's signal. What could not be listed at the start is not watched either. */
export async function watchDevices(
  kube: KubeClient,
  start: UsbCollections,
  { printed, rowsOf, lineOf }: WatchView,
  host: Host,
): Promise<void> {
  const feed = new Feed(kube, host, () => update());
  const statuses = feed.follow<UsbNodeStatus>(RESOURCE_TYPES.usbNodeStatuses, {});
  const ofClaims = placeOf(start.claimsOf);
  const ofDevices = placeOf(start.devicesOf);
  const claims = start.claims && feed.follow<ResourceClaim>(RESOURCE_TYPES.resourceClaims, ofClaims);
  const nodes = start.nodes && feed.follow<NodeObject>(RESOURCE_TYPES.nodes, {});
  const nodeUsbDevices =
    start.nodeUsbDevices && feed.follow<NodeUsbDevice>(RESOURCE_TYPES.nodeUsbDevices, {});
  const usbDevices = start.usbDevices && feed.follow<UsbDevice>(RESOURCE_TYPES.usbDevices, ofDevices);
  const vms = start.vms && feed.follow<VirtualMachine>(RESOURCE_TYPES.virtualMachines, ofDevices);
  let before = printed;
  const update = () => {
    // Half of the facts would show every claimed device as free for a moment.
    if (!feed.synced) return;
    const rows = rowsOf({
      statuses: [...statuses.values()],
      claims: claims && [...claims.values()],
      nodes: nodes && [...nodes.values()],
      nodeUsbDevices: nodeUsbDevices && [...nodeUsbDevices.values()],
      usbDevices: usbDevices && [...usbDevices.values()],
      vms: vms && [...vms.values()],
    });
    const changes = changedRows(before, rows);
    before = rows;
    if (changes.length > 0) host.stdout.write(changes.map(lineOf).join(''));
  };
  for (; !feed.signal.aborted; update()) await host.pause(CLOCK_STEP, feed.signal);
  await feed.end();
}

function placeOf(namespace: string | undefined): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
