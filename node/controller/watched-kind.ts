// One kind of objects kept in step with the API server, told of only when something changed that we look at.
import { isDeepStrictEqual } from 'node:util';
import type { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject, ListOptions, ResourceType } from '../../proto/kube/client.ts';
import { type CachedObject, ObjectCache } from '../../proto/kube/watch/object-cache.ts';
import { reflect } from '../../proto/kube/watch/reflect.ts';
import type { Log } from '../run/log.ts';

export interface WatchedKindOptions<S extends KubeObject, T> {
  readonly type: ResourceType;
  readonly list?: ListOptions;
  readonly transform: (object: S) => T;
  /** Whether a cluster may lack the kind: it then has no objects of it. */
  readonly optional?: boolean;
  readonly onChange: () => void;
  readonly log: Log;
}

export class WatchedKind<S extends KubeObject, T extends CachedObject> {
  readonly cache: ObjectCache<T>;
  readonly #options: WatchedKindOptions<S, T>;
  #problem: string | undefined;

  constructor(options: WatchedKindOptions<S, T>) {
    this.#options = options;
    this.cache = new ObjectCache<T>();
  }

  /** Why not all objects are known; undefined when they are. */
  get problem(): string | undefined {
    if (this.cache.synced) return undefined;
    return this.#problem ?? `${this.#options.type.plural} were not listed yet`;
  }

  /** Runs until the signal aborts. */
  run(kube: KubeClient, signal: AbortSignal): Promise<void> {
    const { type, list = {}, transform, onChange } = this.#options;
    const handlers = {
      onSync: (items: T[]) => {
        this.#problem = undefined;
        this.cache.onSync(items);
        onChange();
      },
      onEvent: (event: Parameters<ObjectCache<T>['onEvent']>[0]) => {
        const news = event.type !== 'BOOKMARK' && (event.type === 'DELETED' || this.#isNews(event.object));
        this.cache.onEvent(event);
        if (news) onChange();
      },
      onError: (error: TypedError) => this.#failed(error),
    };
    return reflect(kube, type, { ...list, transform }, handlers, { signal });
  }

  /** Nodes and virtual machines are written all the time, mostly with what concerns others. */
  #isNews(object: T): boolean {
    const { namespace, name = '' } = object.metadata;
    const known = this.cache.get({ name, ...(namespace !== undefined && { namespace }) });
    return !isDeepStrictEqual(withoutVersion(known), withoutVersion(object));
  }

  #failed(error: TypedError): void {
    const { type, optional, onChange, log } = this.#options;
    const absent = optional === true && error.code === 'API_NOT_SERVED';
    if (!absent || !this.cache.synced) {
      log.warn({ kind: type.plural, err: error }, `watching ${type.plural}: ${error.message}`);
    }
    this.#problem = error.message;
    // What was known before stays: a server that starts does not serve custom kinds for a moment.
    if (!absent || this.cache.synced) return;
    this.cache.onSync([]);
    onChange();
  }
}

function withoutVersion(object: CachedObject | undefined): unknown {
  if (!object) return undefined;
  const { resourceVersion: _, ...metadata } = object.metadata as { resourceVersion?: string };
  return { ...object, metadata };
}
