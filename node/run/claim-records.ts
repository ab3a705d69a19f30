// The claims that are prepared on this node, as the checkpoints say, kept in memory for status and verdicts.
import type { ClaimCheckpoint } from '../dra/checkpoint.ts';
import { otherHolder } from '../dra/claim-state.ts';
import type { ClaimStore } from '../dra/claim-store.ts';

export class ClaimRecords {
  readonly #store: ClaimStore;
  readonly #bootId: string;
  #checkpoints: readonly ClaimCheckpoint[] = [];
  #asked = 0;
  #shown = 0;

  /** What a former boot held is gone: its checkpoints only wait for their Unprepare. */
  constructor(store: ClaimStore, bootId: string) {
    this.#store = store;
    this.#bootId = bootId;
  }

  list(): readonly ClaimCheckpoint[] {
    return this.#checkpoints;
  }

  /** Reads the checkpoints again: after the driver worked on a claim. */
  async refresh(): Promise<void> {
    const turn = ++this.#asked;
    const all = await this.#store.list();
    // Two claims are prepared at once, and what was read first may come last.
    if (turn < this.#shown) return;
    this.#shown = turn;
    this.#checkpoints = all.filter(({ bootId }) => bootId === this.#bootId);
  }

  /** Names of the devices of a pool that claims have here. */
  heldOf(pool: string): string[] {
    const devices = this.#checkpoints.flatMap((checkpoint) => checkpoint.devices);
    return devices.filter((device) => device.pool === pool).map(({ device }) => device);
  }

  /** The claim that has a device here, read now: also one that is just being prepared. */
  async holderOf(pool: string, device: string): Promise<ClaimCheckpoint['claim'] | undefined> {
    const all = await this.#store.list();
    return otherHolder(all, this.#bootId, undefined, [{ pool, device }])?.holder.claim;
  }
}
