// Gives back everything that a checkpoint says a claim holds. Touches this node only.
import type { ClaimCheckpoint } from './checkpoint.ts';
import type { Attachment } from './device-access.ts';
import type { DriverHost } from './driver-host.ts';

/** Drops what is recorded without touching the kernel: for records of another boot. */
export async function discardClaim({ cdi, claims }: DriverHost, uid: string): Promise<void> {
  await cdi.remove(uid);
  await claims.remove(uid);
}

/**
 * Frees what a claim has although no checkpoint says so (it was damaged, or of a later version, or a person deleted it):
 * the devices that its CDI file names. That file is ours by its name, says nothing of devices that other programs
 * attached, and goes with the boot as they do. What the checkpoint of another claim records is not touched.
 */
export async function releaseUnrecorded(host: DriverHost, uid: string): Promise<void> {
  const nodes = await host.cdi.usbfsNodes(uid);
  if (nodes.length === 0) return;
  // What a former boot recorded says nothing of the places of this one.
  const current = (await host.claims.list()).filter(({ bootId }) => bootId === host.bootId);
  const recorded = current.flatMap(({ devices }) => devices.flatMap((d) => d.attachment ?? []));
  for (const node of nodes) {
    const attachment = host.access.find(node);
    if (!attachment || recorded.some((one) => isSamePlace(one, attachment))) continue;
    host.log.warn({ uid, attachment }, `freeing ${node}, which claim ${uid} has without a checkpoint`);
    await host.access.release(attachment);
  }
  await host.cdi.remove(uid);
}

function isSamePlace(a: Attachment, b: Attachment): boolean {
  if (a.kind === 'local') return b.kind === 'local' && a.busId === b.busId;
  return b.kind === 'import' && a.port === b.port;
}

/**
 * Frees every device, then forgets the claim. One device that cannot be freed does not keep the others: all are tried,
 * the record stays, and the first error is thrown, so that a repetition finds what is left.
 */
export async function releaseClaim(host: DriverHost, checkpoint: ClaimCheckpoint): Promise<void> {
  const errors: unknown[] = [];
  // Backwards, as everything that is undone step by step.
  for (const { attachment } of checkpoint.devices.toReversed()) {
    if (!attachment) continue;
    await host.access.release(attachment).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
  await discardClaim(host, checkpoint.claim.uid);
}
