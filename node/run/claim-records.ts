// The claims that are prepared on this node, as the checkpoints say, kept in memory for status and verdicts.
import type { ClaimCheckpoint } from '../dra/checkpoint.ts';
import type { ClaimStore } from '../dra/claim-store.ts';

export class ClaimRecords {
  readonly #store: ClaimStore;
  #checkpoints: readonly ClaimCheckpoint[] = [];

  constructor(store: ClaimStore) {
    this.#store = store;
  }

  list(): readonly ClaimCheckpoint[] {
    return this.#checkpoints;
  }

  /** Reads the checkpoints again: after the driver worked on a claim, and for what another instance did. */
  async refresh(): Promise<void> {
    this.#checkpoints = await this.#store.list();
  }

  /** Names of the devices of a pool that claims have here. */
  heldOf(pool: string): string[] {
    const devices = this.#checkpoints.flatMap((checkpoint) => checkpoint.devices);
    return devices.filter((device) => device.pool === pool).map(({ device }) => device);
  }
}
