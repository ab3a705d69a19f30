// kubectl virt usb list --watch: one line for each device that changes.
import type { ResourceClaim } from '../../proto/api/resource.ts';
import type { UsbNodeStatus } from '../../proto/api/usb-node-status.ts';
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
  const ofClaims = start.claimsOf === undefined ? {} : { namespace: start.claimsOf };
  const claims = start.claims && feed.follow<ResourceClaim>(RESOURCE_TYPES.resourceClaims, ofClaims);
  const nodes = start.nodes && feed.follow<NodeObject>(RESOURCE_TYPES.nodes, {});
  let before = printed;
  const update = () => {
    // Half of the facts would show every claimed device as free for a moment.
    if (!feed.synced) return;
    const rows = rowsOf({
      statuses: [...statuses.values()],
      claims: claims && [...claims.values()],
      nodes: nodes && [...nodes.values()],
    });
    const changes = changedRows(before, rows);
    before = rows;
    if (changes.length > 0) host.stdout.write(changes.map(lineOf).join(''));
  };
  for (; !feed.signal.aborted; update()) await host.pause(CLOCK_STEP, feed.signal);
  await feed.end();
}
