// The writing verbs of the in-memory API: rules applied, result kept unless it is a dry run.
import { randomInt, randomUUID } from 'node:crypto';
import type { DeletePreconditions, ObjectKey } from '../client.ts';
import {
  alreadyExists,
  badRequest,
  patchFailed,
  preconditionFailed,
  unsupportedMedia,
} from './api-failure.ts';
import { applyJsonPatch, PatchFailure, type PatchOperation } from './json-patch.ts';
import type { MemoryStore } from './memory-store.ts';
import { applyMergePatch } from './merge-patch.ts';
import { checkUid, createdObject, terminatingObject, updatedObject } from './object-rules.ts';
import type { ServedKind, StoredObject } from './served-kind.ts';

export interface WriteMode {
  readonly status: boolean;
  readonly dryRun: boolean;
  /** Throws what an admission policy denies; asked after the object was checked, as in the real server. */
  readonly admit: (object: StoredObject) => void;
}

/** POST. Throws 400, 409, 422. */
export function createObject(
  store: MemoryStore,
  kind: ServedKind,
  namespace: string | undefined,
  body: unknown,
  { dryRun, admit }: WriteMode,
): StoredObject {
  const birth = { uid: randomUUID(), now: new Date(), suffix: randomSuffix() };
  const object = createdObject(kind, namespace, body, birth);
  admit(object);
  const { name = '' } = object.metadata;
  if (store.has(kind, { ...object.metadata, name })) throw alreadyExists(kind, name);
  return dryRun ? object : store.put(kind, object);
}

/** PUT, of the object or of its status. Throws 400, 404, 409, 422. */
export function updateObject(
  store: MemoryStore,
  kind: ServedKind,
  key: ObjectKey,
  body: unknown,
  mode: WriteMode,
): StoredObject {
  const old = store.get(kind, key);
  checkUid(kind, old, body);
  return replace(store, kind, old, body, mode);
}

/**
 * Without the last finalizer an object that was deleted before is gone: the answer is then its last state.
 */
function replace(
  store: MemoryStore,
  kind: ServedKind,
  old: StoredObject,
  body: unknown,
  { status, dryRun, admit }: WriteMode,
): StoredObject {
  const next = updatedObject(kind, old, body, status);
  admit(next);
  if (next === old || dryRun) return next;
  const { deletionTimestamp, finalizers = [] } = next.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return store.put(kind, next);
  store.remove(kind, old);
  return next;
}

/**
 * PATCH: the result goes through the rules of PUT, so a resourceVersion in the patch is a precondition. `contentType`
 * says which kind of patch; 415 for those that this server does not know.
 */
export function patchObject(
  store: MemoryStore,
  kind: ServedKind,
  key: ObjectKey,
  contentType: string,
  patch: unknown,
  mode: WriteMode,
): StoredObject {
  const old = store.get(kind, key);
  return replace(store, kind, old, patchedObject(old, contentType, patch), mode);
}

function patchedObject(old: StoredObject, contentType: string, patch: unknown): unknown {
  switch (contentType) {
    case 'application/merge-patch+json':
      return applyMergePatch(old, patch);
    case 'application/json-patch+json':
      if (!Array.isArray(patch)) throw badRequest('error decoding patch: json: cannot unmarshal into Patch');
      try {
        return applyJsonPatch(old, patch as PatchOperation[]);
      } catch (error) {
        if (error instanceof PatchFailure) throw patchFailed();
        throw error;
      }
    default:
      throw unsupportedMedia(['application/json-patch+json', 'application/merge-patch+json']);
  }
}

/** What the server answers: the object while it waits for finalizers, a Status once it is gone. */
export function deleteObject(
  store: MemoryStore,
  kind: ServedKind,
  key: ObjectKey,
  preconditions: DeletePreconditions,
  dryRun: boolean,
): object {
  const old = store.get(kind, key);
  checkPreconditions(kind, old, preconditions);
  if (old.metadata.finalizers?.length) {
    if (old.metadata.deletionTimestamp !== undefined) return old;
    const next = terminatingObject(old, new Date());
    return dryRun ? next : store.put(kind, next);
  }
  if (!dryRun) store.remove(kind, old);
  // Pods and some other built-in kinds answer with the object; clients take both.
  const { group, plural } = kind;
  const details = { name: key.name, ...(group && { group }), kind: plural, uid: old.metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function checkPreconditions(kind: ServedKind, { metadata }: StoredObject, wanted: DeletePreconditions): void {
  const check = (what: string, expected: string | undefined, found: string | undefined, perhaps: string) => {
    if (expected === undefined || expected === found) return;
    const why = `the ${what} in the precondition (${expected}) does not match the ${what} in record (${found}). The object might have been ${perhaps}`;
    throw preconditionFailed(kind, metadata.name ?? '', why);
  };
  check('UID', wanted.uid, metadata.uid, 'deleted and then recreated');
  check('ResourceVersion', wanted.resourceVersion, metadata.resourceVersion, 'modified');
}

/** Five characters of the alphabet that forms no words (apimachinery, util/rand). */
function randomSuffix(): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  return Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
}
