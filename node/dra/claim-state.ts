// What Prepare and Unprepare must do with what they find of a claim: the state machine of a claim on this node. Pure.
import type { CheckpointDevice, ClaimCheckpoint } from './checkpoint.ts';
import type { WantedDevice } from './claim-request.ts';

/**
 * `start`: nothing is held. `discard`: what is recorded went with another boot; drop the record, then start.
 * `rollBack`: undo what is recorded, then start. `replay`: everything stands; answer again.
 */
export type PrepareAction = 'start' | 'discard' | 'rollBack' | 'replay';

/** `nothing`: unknown claim, which is success. `discard` and `release` as above, without a start. */
export type UnprepareAction = 'nothing' | 'discard' | 'release';

function sameDevice(held: CheckpointDevice, wanted: WantedDevice): boolean {
  return (
    held.pool === wanted.pool &&
    held.device === wanted.device &&
    held.mode === wanted.mode &&
    held.shareId === wanted.shareId &&
    held.requests.join() === wanted.requests.join()
  );
}

/** `isAlive` asks the kernel whether it still has the device of a record. */
export function prepareAction(
  found: ClaimCheckpoint | undefined,
  bootId: string,
  wanted: readonly WantedDevice[],
  isAlive: (device: CheckpointDevice) => boolean,
): PrepareAction {
  if (!found) return 'start';
  if (found.bootId !== bootId) return 'discard';
  if (found.state === 'PrepareStarted') return 'rollBack';
  // A claim can be allocated anew once no pod uses it; the kubelet then prepares it again under the same uid.
  const asAllocated =
    found.devices.length === wanted.length &&
    wanted.every((want) => found.devices.some((held) => sameDevice(held, want)));
  return asAllocated && found.devices.every(isAlive) ? 'replay' : 'rollBack';
}

export function unprepareAction(found: ClaimCheckpoint | undefined, bootId: string): UnprepareAction {
  if (!found) return 'nothing';
  return found.bootId === bootId ? 'release' : 'discard';
}

/** The claim that holds one of `devices` in this boot, other than `uid` itself if given, and the device in question. */
export function otherHolder(
  checkpoints: readonly ClaimCheckpoint[],
  bootId: string,
  uid: string | undefined,
  devices: readonly Pick<CheckpointDevice, 'pool' | 'device'>[],
): { holder: ClaimCheckpoint; device: CheckpointDevice } | undefined {
  for (const holder of checkpoints) {
    if (holder.claim.uid === uid || holder.bootId !== bootId) continue;
    const device = holder.devices.find((held) =>
      devices.some((want) => want.pool === held.pool && want.device === held.device),
    );
    if (device) return { holder, device };
  }
  return undefined;
}
