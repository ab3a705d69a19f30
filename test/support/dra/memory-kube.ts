// A KubeClient over a map: enough of the verbs for the DRA driver, with a hook before each call.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type {
  CallOptions,
  DeletePreconditions,
  KubeClient,
  KubeObject,
  ListOptions,
  ListResult,
  ObjectKey,
  PatchType,
  ResourceType,
  WatchEvent,
  WriteOptions,
} from '../../../proto/kube/client.ts';

type Json = Record<string, unknown>;

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Json = typeof target === 'object' && target !== null ? { ...(target as Json) } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

export class MemoryKube implements KubeClient {
  readonly objects = new Map<string, KubeObject>();
  /** `verb plural name`, in order. */
  readonly calls: string[] = [];
  /** Throws or waits to disturb a call. */
  before: (call: string, signal: AbortSignal | undefined) => void | Promise<void> = () => {};
  readonly #watchers = new Set<(plural: string, event: WatchEvent<KubeObject>) => void>();
  #version = 0;

  put(type: ResourceType, object: KubeObject): KubeObject {
    const { namespace = '', name = '' } = object.metadata;
    const key = `${type.plural}/${namespace}/${name}`;
    const metadata = { uid: `uid-${name}`, ...object.metadata, resourceVersion: String(++this.#version) };
    const stored = structuredClone({ ...object, metadata });
    const known = this.objects.has(key);
    this.objects.set(key, stored);
    this.#tell(type.plural, { type: known ? 'MODIFIED' : 'ADDED', object: structuredClone(stored) });
    return structuredClone(stored);
  }

  remove(type: ResourceType, { namespace = '', name }: ObjectKey): void {
    const key = `${type.plural}/${namespace}/${name}`;
    const object = this.objects.get(key);
    if (!object) throw new TypedError('NOT_FOUND', `${type.plural} ${name} not found`);
    this.objects.delete(key);
    this.#tell(type.plural, { type: 'DELETED', object });
  }

  all<T extends KubeObject>(type: ResourceType): T[] {
    return [...this.objects]
      .filter(([key]) => key.startsWith(`${type.plural}/`))
      .map(([, object]) => structuredClone(object) as T);
  }

  async get<T extends KubeObject>(type: ResourceType, key: ObjectKey, call: CallOptions = {}): Promise<T> {
    await this.#enter(`get ${type.plural} ${key.name}`, call);
    return this.#read<T>(type, key);
  }

  async list<T extends KubeObject>(
    type: ResourceType,
    _options: ListOptions = {},
    call: CallOptions = {},
  ): Promise<ListResult<T>> {
    await this.#enter(`list ${type.plural}`, call);
    return { items: this.all<T>(type), resourceVersion: String(this.#version) };
  }

  async create<T extends KubeObject>(
    type: ResourceType,
    object: T,
    _options: WriteOptions = {},
    call: CallOptions = {},
  ): Promise<T> {
    await this.#enter(`create ${type.plural}`, call);
    const { generateName } = object.metadata;
    const name = object.metadata.name ?? `${generateName}${this.#version}`;
    return this.put(type, { ...object, metadata: { ...object.metadata, name } }) as T;
  }

  async update<T extends KubeObject>(
    type: ResourceType,
    object: T,
    _options: WriteOptions = {},
    call: CallOptions = {},
  ): Promise<T> {
    const { name = '', namespace } = object.metadata;
    await this.#enter(`update ${type.plural} ${name}`, call);
    const found = this.#read(type, { name, ...(namespace !== undefined && { namespace }) });
    if (object.metadata.resourceVersion !== found.metadata.resourceVersion) {
      throw new TypedError('CONFLICT', `${type.plural} ${name} was changed`);
    }
    return this.put(type, object) as T;
  }

  async patch<T extends KubeObject>(
    type: ResourceType,
    key: ObjectKey,
    patchType: PatchType,
    patch: unknown,
    _options: WriteOptions = {},
    call: CallOptions = {},
  ): Promise<T> {
    await this.#enter(`patch ${type.plural} ${key.name}`, call);
    if (patchType !== 'merge') throw new TypedError('INVALID_OBJECT', `no ${patchType} patches here`);
    const found = this.#read(type, key);
    const result = merged(found, patch) as KubeObject;
    if (result.metadata.uid !== found.metadata.uid) {
      throw new TypedError('CONFLICT', `${type.plural} ${key.name} has another uid`);
    }
    return this.put(type, result) as T;
  }

  async delete(
    type: ResourceType,
    key: ObjectKey,
    _preconditions: DeletePreconditions = {},
    call: CallOptions = {},
  ): Promise<void> {
    await this.#enter(`delete ${type.plural} ${key.name}`, call);
    this.remove(type, key);
  }

  async *watch<T extends KubeObject>(
    type: ResourceType,
    _resourceVersion: string,
    _options: ListOptions = {},
    { signal }: CallOptions = {},
  ): AsyncIterable<WatchEvent<T>> {
    const events: WatchEvent<T>[] = [];
    let wake = () => {};
    const listener = (plural: string, event: WatchEvent<KubeObject>) => {
      if (plural === type.plural) events.push(event as WatchEvent<T>);
      wake();
    };
    this.#watchers.add(listener);
    signal?.addEventListener('abort', () => wake());
    try {
      while (!signal?.aborted) {
        yield* events.splice(0);
        if (events.length === 0 && !signal?.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      this.#watchers.delete(listener);
    }
  }

  getRaw(path: string): Promise<unknown> {
    return Promise.reject(new TypedError('NOT_FOUND', path));
  }

  close(): void {}

  async #enter(call: string, { signal }: CallOptions): Promise<void> {
    this.calls.push(call);
    signal?.throwIfAborted();
    await this.before(call, signal);
  }

  #read<T extends KubeObject>(type: ResourceType, { namespace = '', name }: ObjectKey): T {
    const object = this.objects.get(`${type.plural}/${namespace}/${name}`);
    if (!object) throw new TypedError('NOT_FOUND', `${type.plural} ${name} not found`);
    return structuredClone(object) as T;
  }

  #tell(plural: string, event: WatchEvent<KubeObject>): void {
    for (const watcher of this.#watchers) watcher(plural, event);
  }
}
