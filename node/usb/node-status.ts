// What this node says about itself in USBNodeStatus, from everything that the agent knows. Pure.
import type { ObjectRef, UsbAttachmentStatus, UsbExportStatus } from '../../proto/api/gen/usb-node-status.ts';
import type { ClaimCheckpoint } from '../dra/checkpoint.ts';
import type { Attachment } from '../dra/device-access.ts';
import type { ActiveExport } from '../usbip/export-table.ts';
import type { InventoryEntry } from './inventory.ts';

export interface AttachmentFacts {
  /** The bus id on this node; undefined while the kernel does not have it (any more). */
  readonly busIdOf: (attachment: Attachment) => string | undefined;
  readonly podsOf: (claim: ObjectRef) => readonly ObjectRef[];
}

/** One row a device of each claim that is prepared here, in the order of the claims' uids. */
export function attachmentRows(
  checkpoints: readonly ClaimCheckpoint[],
  { busIdOf, podsOf }: AttachmentFacts,
): UsbAttachmentStatus[] {
  return checkpoints.flatMap(({ claim, state, since, devices }) =>
    devices.flatMap(({ device, pool, mode, attachment }) => {
      if (!attachment) return [];
      const [pod] = podsOf(claim);
      return {
        claim,
        ...(pod && { pod }),
        device,
        pool,
        mode,
        transport: attachment.kind === 'import' ? ('plain' as const) : ('local' as const),
        ...(attachment.kind === 'import' && { vhciPort: attachment.port }),
        busID: busIdOf(attachment) ?? '',
        state: state === 'PrepareCompleted' ? ('Attached' as const) : ('Preparing' as const),
        since,
      };
    }),
  );
}

/** One row a device that another node holds. */
export function exportRows(
  exports: readonly ActiveExport[],
  entries: readonly Pick<InventoryEntry, 'status'>[],
): UsbExportStatus[] {
  const names = new Map(entries.map(({ status }) => [status.busID, status.name]));
  return exports.map(({ busId, peer, grant, since }) => ({
    device: grant?.device ?? names.get(busId) ?? '',
    busID: busId,
    peer: grant?.node ?? peer?.address ?? 'unknown',
    ...(grant?.claim && { claim: grant.claim }),
    transport: 'plain' as const,
    since: new Date(since).toISOString(),
  }));
}
