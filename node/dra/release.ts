// Gives back everything that a checkpoint says a claim holds. Touches this node only.
import type { ClaimCheckpoint } from './checkpoint.ts';
import type { DriverHost } from './driver-host.ts';

/** Drops what is recorded without touching the kernel: for records of another boot. */
export async function discardClaim({ cdi, claims }: DriverHost, uid: string): Promise<void> {
  await cdi.remove(uid);
  await claims.remove(uid);
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
