// Who holds which device: joins the claims with what the nodes report about attachments and exports.
import type { ObjectRef, UsbAttachmentStatus, UsbExportStatus } from '../../proto/api/gen/usb-node-status.ts';
import { DRIVER } from '../../proto/api/names.ts';
import type { ResourceClaim } from '../../proto/api/resource.ts';
import type { UsbFacts } from './facts.ts';

export interface Hold {
  /** Node that the device is plugged into. */
  readonly node: string;
  readonly device: string;
  readonly claim?: ObjectRef;
  /** Pods that the claim is reserved for. */
  readonly pods: readonly { name: string; uid: string }[];
  /** RFC 3339. */
  readonly allocatedAt?: string;
  readonly attachment?: UsbAttachmentStatus;
  /** Node whose kernel uses the device. */
  readonly consumer?: string;
  readonly exported?: UsbExportStatus;
}

/** Device names are unique in a node only. */
export function deviceKey(node: string, device: string): string {
  return `${node}/${device}`;
}

/**
 * At most one hold a device. What a node reports comes before what a claim says: during a change of hands the node
 * knows who has the device now. Claims of other drivers and claims that are not allocated hold nothing.
 */
export function holdsByDevice(facts: UsbFacts): Map<string, Hold> {
  const claims = allocations(facts.claims ?? []);
  const holds = new Map<string, Hold>();
  for (const hold of attachedDevices(facts)) {
    const key = deviceKey(hold.node, hold.device);
    const known = holds.get(key);
    if (known?.attachment?.state === 'Attached') continue;
    const claim = claims.find(
      (one) => one.claim?.uid === hold.claim?.uid && deviceKey(one.node, one.device) === key,
    );
    const pods = claim && claim.pods.length > 0 ? claim.pods : hold.pods;
    holds.set(key, { ...hold, ...claim, pods });
  }
  for (const hold of claims) {
    const key = deviceKey(hold.node, hold.device);
    if (!holds.has(key)) holds.set(key, hold);
  }
  for (const hold of exportedDevices(facts)) {
    const key = deviceKey(hold.node, hold.device);
    holds.set(key, { ...hold, ...holds.get(key) });
  }
  return holds;
}

function attachedDevices({ statuses }: UsbFacts): Hold[] {
  return statuses.flatMap(({ metadata, status }) =>
    (status?.attachments ?? []).map((attachment) => ({
      node: attachment.pool,
      device: attachment.device,
      claim: attachment.claim,
      pods: attachment.pod ? [attachment.pod] : [],
      attachment,
      consumer: metadata.name,
    })),
  );
}

function exportedDevices({ statuses }: UsbFacts): Hold[] {
  return statuses.flatMap(({ metadata, status }) =>
    (status?.exports ?? []).map((exported) => ({
      node: metadata.name,
      device: exported.device,
      pods: [],
      consumer: exported.peer,
      exported,
      ...(exported.claim ? { claim: exported.claim } : {}),
    })),
  );
}

function allocations(claims: readonly ResourceClaim[]): Hold[] {
  return claims.flatMap(({ metadata, status }) => {
    const results = status?.allocation?.devices?.results ?? [];
    const allocatedAt = status?.allocation?.allocationTimestamp ?? metadata.creationTimestamp;
    const pods = (status?.reservedFor ?? []).filter((user) => user.resource === 'pods');
    return results
      .filter((result) => result.driver === DRIVER)
      .map((result) => ({
        node: result.pool,
        device: result.device,
        claim: { namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' },
        pods: pods.map(({ name, uid }) => ({ name, uid })),
        ...(allocatedAt ? { allocatedAt } : {}),
      }));
  });
}
