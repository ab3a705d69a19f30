// All objects of a kind as a map that `reflect` fills: what reconcilers read.
import type { TypedError } from '../../api/typed-error.ts';
import type { ObjectKey, WatchEvent } from '../client.ts';
import type { ReflectHandlers } from './reflect.ts';

/** What `transform` must leave of an object so that it can be kept. */
export interface CachedObject {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}

export interface ObjectCacheOptions {
  /** After each change, synced or not yet; the place to trigger a loop. */
  readonly onChange?: () => void;
  readonly onError?: (error: TypedError) => void;
  /** Milliseconds; default the wall clock. */
  readonly now?: () => number;
}

/**
 * Use it as the handlers of `reflect`. Readers get the kept objects themselves and must not change them. After a lost
 * connection it keeps what it had: old knowledge is better than none, and `lastContact` tells its age.
 */
export class ObjectCache<T extends CachedObject> implements ReflectHandlers<T> {
  readonly #options: ObjectCacheOptions;
  #objects = new Map<string, T>();
  #synced = false;
  #lastContact: number | undefined;

  constructor(options: ObjectCacheOptions = {}) {
    this.#options = options;
  }

  /** True once all objects were seen; nothing may be pruned before. */
  get synced(): boolean {
    return this.#synced;
  }

  /**
   * When the server was last heard of: list, event or bookmark; undefined before the first list. A kind that nobody
   * changes may be silent for as long as one watch lasts (five minutes).
   */
  get lastContact(): number | undefined {
    return this.#lastContact;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(cacheKey(key));
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  onSync(items: readonly T[]): void {
    this.#objects = new Map(items.map((item) => [cacheKey(item.metadata), item]));
    this.#synced = true;
    this.#changed();
  }

  onEvent(event: WatchEvent<T>): void {
    this.#touch();
    if (event.type === 'BOOKMARK') return;
    const key = cacheKey(event.object.metadata);
    if (event.type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, event.object);
    this.#changed();
  }

  onError(error: TypedError): void {
    this.#options.onError?.(error);
  }

  #changed(): void {
    this.#touch();
    this.#options.onChange?.();
  }

  #touch(): void {
    this.#lastContact = (this.#options.now ?? Date.now)();
  }
}

function cacheKey({ namespace = '', name = '' }: CachedObject['metadata']): string {
  return `${namespace}/${name}`;
}
