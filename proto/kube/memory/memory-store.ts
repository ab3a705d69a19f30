// The objects of the in-memory API, their versions and the changes that watches can still see.
import type { ObjectKey } from '../client.ts';
import { expired, notFound } from './api-failure.ts';
import { DEFAULT_KINDS, type ServedKind, type StoredObject } from './served-kind.ts';

/** What a watch is made of. Both states are there, because a selection can be entered and left. */
export interface Change {
  readonly version: number;
  readonly kind: ServedKind;
  /** The new state; undefined when the object was removed. */
  readonly object?: StoredObject;
  readonly previous?: StoredObject;
}

/** Where counting begins: a watch from version 1 is then too old, as on any real server. */
const FIRST_VERSION = 1000;

export class MemoryStore {
  readonly #kinds = new Map<string, ServedKind>();
  readonly #objects = new Map<ServedKind, Map<string, StoredObject>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #keep: number;
  #changes: Change[] = [];
  #version = FIRST_VERSION;
  /** Watches from before this version are refused. */
  #oldest = FIRST_VERSION;

  /** `keep`: how many changes a watch can go back. */
  constructor(keep = 1000, kinds: readonly ServedKind[] = DEFAULT_KINDS) {
    this.#keep = keep;
    for (const kind of kinds) this.register(kind);
  }

  /** The last version given out; it counts over all kinds, as in etcd. */
  get version(): number {
    return this.#version;
  }

  get kinds(): ServedKind[] {
    return [...this.#kinds.values()];
  }

  /** Serves a kind from now on. */
  register(kind: ServedKind): void {
    this.#kinds.set(kindKey(kind.group, kind.version, kind.plural), kind);
    this.#objects.set(kind, new Map());
  }

  kind(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#kinds.get(kindKey(group, version, plural));
  }

  /** Throws 404. */
  get(kind: ServedKind, key: ObjectKey): StoredObject {
    const object = this.#of(kind).get(objectKey(key));
    if (!object) throw notFound(kind, key.name);
    return object;
  }

  has(kind: ServedKind, key: ObjectKey): boolean {
    return this.#of(kind).has(objectKey(key));
  }

  /** In the order of the server: by namespace, then name. */
  list(kind: ServedKind, namespace: string | undefined): StoredObject[] {
    const entries = [...this.#of(kind)].sort(([a], [b]) => (a < b ? -1 : 1));
    return entries
      .map(([, object]) => object)
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  }

  /** Keeps an object as it is given, status included, with a new version. For seeding, and behind every write. */
  put(kind: ServedKind, object: StoredObject): StoredObject {
    const key = objectKey(object.metadata);
    const previous = this.#of(kind).get(key);
    const version = ++this.#version;
    const kept = deepFreeze(structuredClone(withVersion(object, version)));
    this.#of(kind).set(key, kept);
    this.#publish({ version, kind, object: kept, ...(previous && { previous }) });
    return kept;
  }

  /** Removes at once, whatever finalizers it has; a removal has a version too. */
  remove(kind: ServedKind, object: StoredObject): void {
    this.#of(kind).delete(objectKey(object.metadata));
    this.#publish({ version: ++this.#version, kind, previous: object });
  }

  /** Changes after `version`. Throws 410 when some of them are forgotten. */
  changesSince(version: number): readonly Change[] {
    if (version < this.#oldest) throw expired(`too old resource version: ${version} (${this.#oldest})`);
    return this.#changes.filter((change) => change.version > version);
  }

  /** Forgets all changes up to now. */
  compact(): void {
    this.#changes = [];
    this.#oldest = this.#version;
  }

  /** Returns the function that ends it. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #of(kind: ServedKind): Map<string, StoredObject> {
    const objects = this.#objects.get(kind);
    if (!objects) throw new Error(`${kind.plural} is not registered`);
    return objects;
  }

  #publish(change: Change): void {
    this.#changes.push(change);
    const over = this.#changes.length - this.#keep;
    if (over > 0) this.#oldest = this.#changes.splice(0, over).at(-1)?.version ?? this.#oldest;
    for (const listener of this.#listeners) listener(change);
  }
}

/** The object with another resourceVersion. */
export function withVersion(object: StoredObject, version: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

function kindKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

/** NUL sorts before every character of a name, so that namespace `a` comes before `a-b`. */
function objectKey({ namespace = '', name = '' }: Partial<ObjectKey>): string {
  return `${namespace}\0${name}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
