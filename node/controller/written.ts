// What a write left behind in the API, so that the caches can be seen to have caught up with it. Pure.
import type { KubeObject, ObjectKey } from '../../proto/kube/client.ts';
import type { WrittenKind } from './step.ts';

export interface Written {
  readonly kind: WrittenKind;
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  /** Undefined: it is gone, or marked for deletion. */
  readonly version: string | undefined;
}

/** What the API answered to a write; without its last finalizer an object that waits for that is gone. */
export function writtenObject(kind: WrittenKind, key: ObjectKey, { metadata }: KubeObject): Written {
  const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = metadata;
  const gone = deletionTimestamp !== undefined && finalizers.length === 0;
  return { kind, key, uid, version: gone ? undefined : resourceVersion };
}

/** Whether a cache that holds `seen` knows of the write. Versions of one kind are numbers that grow (KEP-5504). */
export function isSeen({ uid, version }: Written, seen: KubeObject | undefined): boolean {
  if (version === undefined) {
    return seen?.metadata.uid !== uid || seen?.metadata.deletionTimestamp !== undefined;
  }
  if (!seen) return false;
  return seen.metadata.uid !== uid || Number(seen.metadata.resourceVersion) >= Number(version);
}
