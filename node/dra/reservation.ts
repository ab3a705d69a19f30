// Takes the devices of a claim on this node: whoever has them in its checkpoint holds them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { ClaimCheckpoint } from './checkpoint.ts';
import { otherHolder } from './claim-state.ts';
import type { DriverHost } from './driver-host.ts';

/**
 * How long a device may stay busy, and how often to look. After a forced deletion the kubelet calls Unprepare seconds
 * after the claim is free, and repeats a failed Prepare only after 11 to 16 s: a short wait is the faster way.
 */
export interface Patience {
  /** Milliseconds. */
  readonly wait: number;
  readonly poll: number;
}

export const PATIENCE: Patience = { wait: 5_000, poll: 100 };

/** Milliseconds that other processes may take for the same short step. */
const LOCK_TIMEOUT = 10_000;

export function deviceBusy(device: string, pool: string, holder: ObjectRef, cause?: unknown): TypedError {
  const name = `${holder.namespace}/${holder.name}`;
  return new TypedError(
    'DEVICE_BUSY',
    `device ${device} of node ${pool} is held by claim ${name}`,
    `delete the pod that uses claim ${name}`,
    { cause },
  );
}

/** Counts down from its making. */
export class BusyWait {
  readonly #until: number;
  readonly #poll: number;

  constructor({ wait, poll }: Patience) {
    this.#until = performance.now() + wait;
    this.#poll = poll;
  }

  /** Waits for the next look; false when patience has run out. Rejects when `signal` aborts. */
  async again(signal: AbortSignal): Promise<boolean> {
    if (performance.now() >= this.#until) return false;
    await sleep(this.#poll, undefined, { signal });
    return true;
  }
}

/**
 * Writes `started` unless another claim holds one of its devices. Checking and writing are one step for all processes
 * of the node. Rejects with DEVICE_BUSY, naming the holder, when `busy` runs out.
 */
export async function reserve(
  host: DriverHost,
  started: ClaimCheckpoint,
  busy: BusyWait,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const held = await host.fileLock(host.lockPath, LOCK_TIMEOUT, async () => {
      const other = otherHolder(await host.claims.list(), host.bootId, started.claim.uid, started.devices);
      if (!other) await host.claims.write(started);
      return other;
    });
    if (!held) return;
    if (!(await busy.again(signal))) {
      throw deviceBusy(held.device.device, held.device.pool, held.holder.claim);
    }
  }
}
