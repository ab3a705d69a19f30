// Answers the exporter from ResourceClaims: a device goes only to the node of a pod that has it allocated.
import type { ObjectRef, UsbDeviceStatus } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import type { Grant, Grants, Peer } from '../usbip/grants.ts';
import type { ClaimCache } from './claim-cache.ts';
import type { ClaimUse } from './claim-use.ts';
import { judgeGrant, type PodPlace } from './grant-judge.ts';
import type { LocalDevices } from './local-devices.ts';
import { PodPlaces } from './pod-places.ts';
import { deviceBusy } from './reservation.ts';

export interface GrantTimes {
  /** Milliseconds to wait for a claim whose allocation has not reached the cache yet. */
  readonly wait: number;
  /** Milliseconds for which what the API server said holds while it does not answer. */
  readonly memory: number;
}

/** A claim held before may reconnect during a short outage of the API server; a new one is refused. */
const TIMES: GrantTimes = { wait: 1_000, memory: 5 * 60_000 };

/** The claim for which this node itself has one of its devices, by the device's name. */
export type HeldHere = (device: string) => Promise<ObjectRef | undefined>;

export class ClaimGrants implements Grants {
  readonly #pool: string;
  readonly #devices: LocalDevices;
  readonly #cache: ClaimCache;
  readonly #places: PodPlaces;
  readonly #heldHere: HeldHere;
  readonly #times: GrantTimes;

  /** `pool` is the name of this node. */
  constructor(
    kube: KubeClient,
    pool: string,
    devices: LocalDevices,
    cache: ClaimCache,
    heldHere: HeldHere,
    times: GrantTimes = TIMES,
  ) {
    this.#pool = pool;
    this.#devices = devices;
    this.#cache = cache;
    this.#heldHere = heldHere;
    this.#places = new PodPlaces(kube, times.memory);
    this.#times = times;
  }

  /** A claim that pods of two nodes share is held by the first of them just as well. */
  async assertFree({ device }: Grant): Promise<void> {
    const holder = await this.#heldHere(device);
    if (holder) throw deviceBusy(device, this.#pool, holder);
  }

  async list(peer: Peer): Promise<readonly string[]> {
    const granted = await Promise.all(
      this.#devices.list().map((device) =>
        this.#judge(device, peer).then(
          () => [device.busID],
          () => [],
        ),
      ),
    );
    return granted.flat();
  }

  async check(busId: string, peer: Peer): Promise<Grant> {
    const device = this.#devices.list().find((candidate) => candidate.busID === busId);
    if (!device) throw new TypedError('NOT_GRANTED', `there is no device ${busId}`);
    if (device.verdict === 'Blocked') {
      throw new TypedError(
        'DEVICE_BLOCKED',
        `device ${device.name} (${busId}) is blocked by rule ${device.rule}: ${device.reason}`,
      );
    }
    const until = performance.now() + this.#times.wait;
    for (;;) {
      // The peer's kubelet may have seen the allocation before our watch has.
      const changed = this.#nextChange(until);
      try {
        return await this.#judge(device, peer);
      } catch (error) {
        const isLate = error instanceof TypedError && error.code === 'NOT_GRANTED';
        if (!isLate || !(await changed.promise)) throw error;
      } finally {
        changed.cancel();
      }
    }
  }

  async #judge(device: UsbDeviceStatus, peer: Peer): Promise<Grant> {
    if (this.#cache.age > this.#times.memory) {
      throw new TypedError('NOT_GRANTED', 'the API server has not answered for too long to check claims');
    }
    const claims = this.#cache.holders(this.#pool, device.name);
    return judgeGrant(device, claims, await this.#placesOf(claims), peer.address);
  }

  async #placesOf(claims: readonly ClaimUse[]): Promise<Map<string, PodPlace>> {
    const places = new Map<string, PodPlace>();
    for (const pod of claims.flatMap(({ pods }) => pods)) {
      const place = await this.#places.find(pod).catch((cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new TypedError(
          'NOT_GRANTED',
          `cannot look up pod ${pod.namespace}/${pod.name}: ${why}`,
          undefined,
          {
            cause,
          },
        );
      });
      if (place) places.set(pod.uid, place);
    }
    return places;
  }

  /** Resolves to true when the cache changes, to false at `until`. Listens from now on, so no change is missed. */
  #nextChange(until: number): { promise: Promise<boolean>; cancel: () => void } {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), Math.max(0, until - performance.now()));
    const forget = this.#cache.onChange(() => resolve(true));
    return {
      promise,
      cancel: () => {
        clearTimeout(timer);
        forget();
      },
    };
  }
}
