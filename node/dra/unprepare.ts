// NodeUnprepareResources for one claim: frees what this node holds for it. Asks neither the API nor another node.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import type { KeyedLock } from '../run/keyed-lock.ts';
import { unprepareAction } from './claim-state.ts';
import type { DriverHost } from './driver-host.ts';
import { discardClaim, releaseClaim, releaseUnrecorded } from './release.ts';

export class ClaimUnpreparer {
  readonly #host: DriverHost;
  readonly #claimLock: KeyedLock;

  /** `claimLock` is shared with Prepare. */
  constructor(host: DriverHost, claimLock: KeyedLock) {
    this.#host = host;
    this.#claimLock = claimLock;
  }

  /**
   * An unknown claim is success. Rejects only when the kernel or the disk refuses (KERNEL); the record stays, and
   * the kubelet calls again.
   */
  async unprepare({ uid }: ObjectRef): Promise<void> {
    await this.#claimLock.run(uid, async () => {
      const found = await this.#host.claims.read(uid);
      const action = unprepareAction(found, this.#host.bootId);
      if (!found) await releaseUnrecorded(this.#host, uid);
      if (found && action === 'release') await releaseClaim(this.#host, found);
      else await discardClaim(this.#host, uid);
    });
  }
}
