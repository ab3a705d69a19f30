// The claims that have a device of this driver, as the API server last told.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import type { TypedError } from '../../proto/api/typed-error.ts';
import type { WatchEvent } from '../../proto/kube/client.ts';
import type { ReflectHandlers } from '../../proto/kube/watch/reflect.ts';
import type { Log } from '../run/log.ts';
import type { ClaimUse } from './claim-use.ts';

/** Filled by `reflect` of all ResourceClaims with `claimUse` as transform. */
export class ClaimCache implements ReflectHandlers<ClaimUse> {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #claims = new Map<string, ClaimUse>();
  #lastContact = Number.NEGATIVE_INFINITY;

  /** `now` in milliseconds, on any clock that only goes forward. */
  constructor(log: Log, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Milliseconds since the API server was last heard of; infinite before the first list. */
  get age(): number {
    return this.#now() - this.#lastContact;
  }

  /** The claims that have the device allocated; more than one only while the scheduler lets them share. */
  holders(pool: string, device: string): ClaimUse[] {
    return [...this.#claims.values()].filter(({ devices }) =>
      devices.some((held) => held.pool === pool && held.device === device),
    );
  }

  /** Names of the devices of a pool that claims have allocated. */
  allocatedIn(pool: string): Set<string> {
    const all = [...this.#claims.values()].flatMap(({ devices }) => devices);
    return new Set(all.filter((held) => held.pool === pool).map(({ device }) => device));
  }

  /** As DriverHost wants it: another claim with this device. */
  holderOf(pool: string, device: string, uid: string): ObjectRef | undefined {
    return this.holders(pool, device).find(({ claim }) => claim.uid !== uid)?.claim;
  }

  /** The pods for which a claim is reserved; empty for claims that are not known. */
  podsOf({ namespace, name, uid }: ObjectRef): readonly ObjectRef[] {
    const use = this.#claims.get(`${namespace}/${name}`);
    return use?.claim.uid === uid ? use.pods : [];
  }

  /** Calls `listener` after each change; the result ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onSync(items: readonly ClaimUse[]): void {
    this.#claims = new Map(items.filter(isOurs).map((use) => [key(use), use]));
    this.#changed();
  }

  onEvent(event: WatchEvent<ClaimUse>): void {
    this.#lastContact = this.#now();
    if (event.type === 'BOOKMARK') return;
    const known = this.#claims.has(key(event.object));
    if (event.type !== 'DELETED' && isOurs(event.object)) this.#claims.set(key(event.object), event.object);
    else if (known) this.#claims.delete(key(event.object));
    else return;
    this.#changed();
  }

  onError(error: TypedError): void {
    this.#log.warn({ err: error }, `watching ResourceClaims: ${error.message}`);
  }

  #changed(): void {
    this.#lastContact = this.#now();
    for (const listener of this.#listeners) listener();
  }
}

function isOurs({ devices }: ClaimUse): boolean {
  return devices.length > 0;
}

function key({ claim: { namespace, name } }: ClaimUse): string {
  return `${namespace}/${name}`;
}
