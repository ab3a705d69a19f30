// What the API server makes of an object that a client sends: identity, versions, generation, who may write status.
import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '../../api/resource.ts';
import { ApiFailure, badRequest, conflict, invalid, invalidFields } from './api-failure.ts';
import { type ObjectSchema, prunedValue } from './object-schema.ts';
import { schemaErrors } from './schema-errors.ts';
import { apiVersionOf, isBuiltIn, type ServedKind, type StoredObject } from './served-kind.ts';

/** What the server adds to a new object. `suffix` follows generateName. */
export interface Birth {
  readonly uid: string;
  readonly now: Date;
  readonly suffix: string;
}

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The object as it is to be kept, without a resourceVersion. Throws 400, 422. */
export function createdObject(
  kind: ServedKind,
  namespace: string | undefined,
  body: unknown,
  { uid, now, suffix }: Birth,
): StoredObject {
  const object = checkedObject(kind, namespace, body);
  const {
    resourceVersion,
    generateName,
    name = generateName && `${generateName}${suffix}`,
  } = object.metadata;
  // etcd3 store: ErrResourceVersionSetOnCreate has no status of its own and becomes a 500.
  if (resourceVersion) {
    throw new ApiFailure(500, undefined, 'resourceVersion should not be set on objects to be created');
  }
  if (!name) throw invalid(kind, '', 'metadata.name', 'Required value: name or generateName is required');
  if (!DNS_SUBDOMAIN.test(name) || name.length > 253) {
    throw invalid(kind, name, 'metadata.name', `Invalid value: "${name}": ${SUBDOMAIN_RULE}`);
  }
  const { status, ...rest } = object;
  return schemaChecked(kind, {
    ...rest,
    ...(!kind.statusSubresource && status !== undefined && { status }),
    metadata: {
      ...without(object.metadata, 'deletionTimestamp', 'resourceVersion'),
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      creationTimestamp: timestamp(now),
      // Of the core kinds, those that we serve have no generation.
      ...(kind.group !== '' && { generation: 1 }),
    },
  });
}

/** `old` itself when nothing changes: then the server writes nothing and no watch sees an event. */
export function updatedObject(
  kind: ServedKind,
  old: StoredObject,
  body: unknown,
  status: boolean,
): StoredObject {
  const object = checkedObject(kind, old.metadata.namespace, body);
  const name = old.metadata.name ?? '';
  checkIdentity(kind, name, old.metadata, object.metadata);
  const next = schemaChecked(kind, status ? withStatus(old, object.status) : withContent(kind, old, object));
  const same = isDeepStrictEqual(plain(next), plain(old));
  return same ? old : next;
}

/** An object that waits for its finalizers; its next version. */
export function terminatingObject(old: StoredObject, now: Date): StoredObject {
  return { ...old, metadata: { ...old.metadata, deletionTimestamp: timestamp(now) } };
}

/** Type and namespace may be left out of a body for a built-in kind, never contradict the path. */
function checkedObject(kind: ServedKind, namespace: string | undefined, body: unknown): StoredObject {
  const object = body as Partial<StoredObject> | null;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw badRequest(`the object provided is unrecognized: ${JSON.stringify(body)?.slice(0, 80)}`);
  }
  const apiVersion = apiVersionOf(kind);
  const defaults = isBuiltIn(kind) ? { apiVersion, kind: kind.kind } : {};
  const typed = { metadata: {}, ...defaults, ...object };
  if (typed.kind === undefined) throw badRequest(`Object 'Kind' is missing in the object provided`);
  if (typed.kind !== kind.kind || typed.apiVersion !== apiVersion) {
    throw badRequest(
      `${typed.apiVersion}, Kind=${typed.kind} in the data does not match the expected ${apiVersion}, Kind=${kind.kind}`,
    );
  }
  if (typed.metadata.namespace !== undefined && typed.metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return kind.schema ? pruned(kind.schema, typed) : typed;
}

/** What every object has is not the schema's. */
function pruned(
  schema: ObjectSchema,
  { apiVersion, kind, metadata, ...content }: StoredObject,
): StoredObject {
  return { apiVersion, kind, metadata, ...(prunedValue(schema, content) as object) } as StoredObject;
}

/** The object itself. Throws 422. */
function schemaChecked(kind: ServedKind, object: StoredObject): StoredObject {
  if (!kind.schema) return object;
  const errors = schemaErrors(kind.schema, object);
  if (errors.length > 0) throw invalidFields(kind, object.metadata.name ?? '', errors);
  return object;
}

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/**
 * The uid in the body of a PUT is a precondition (409). In a patch it is only a field that cannot change (422): the
 * server takes preconditions from a whole object (apiserver, registry/rest/update.go).
 */
export function checkUid(kind: ServedKind, { metadata }: StoredObject, body: unknown): void {
  const sent = (body as Partial<StoredObject> | null)?.metadata?.uid;
  if (sent === undefined || sent === metadata.uid) return;
  const why = `UID in precondition: ${sent}, UID in object meta: ${metadata.uid}`;
  throw conflict(kind, metadata.name ?? '', `Precondition failed: ${why}`);
}

/** Order and sentences of the real server: name, version, uid, finalizers. */
function checkIdentity(kind: ServedKind, name: string, old: ObjectMeta, sent: ObjectMeta): void {
  if (sent.name !== name) {
    throw badRequest(`the name of the object (${sent.name}) does not match the name on the URL (${name})`);
  }
  // Kinds of a CRD take no unconditional update.
  if (!sent.resourceVersion && !isBuiltIn(kind)) {
    throw invalid(
      kind,
      name,
      'metadata.resourceVersion',
      'Invalid value: 0: must be specified for an update',
    );
  }
  if (sent.resourceVersion && sent.resourceVersion !== old.resourceVersion) {
    throw conflict(kind, name, MODIFIED);
  }
  if (sent.uid !== undefined && sent.uid !== old.uid) {
    throw invalid(kind, name, 'metadata.uid', `Invalid value: "${sent.uid}": field is immutable`);
  }
  const added = (sent.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer));
  if (old.deletionTimestamp !== undefined && added.length > 0) {
    const found = `found new finalizers []string{${added.map((each) => `"${each}"`).join(', ')}}`;
    const why = `Forbidden: no new finalizers can be added if the object is being deleted, ${found}`;
    throw invalid(kind, name, 'metadata.finalizers', why);
  }
}

/** The status path takes nothing but status: labels and spec that come along are dropped. */
function withStatus(old: StoredObject, status: unknown): StoredObject {
  const { status: _, ...rest } = old;
  return { ...rest, ...(status !== undefined && { status }) } as StoredObject;
}

/** The main path takes all but status and what only the server may set. */
function withContent(kind: ServedKind, old: StoredObject, object: StoredObject): StoredObject {
  const content = kind.statusSubresource ? withStatus(object, old.status) : object;
  const { uid, creationTimestamp, deletionTimestamp, generation } = old.metadata;
  const moved = generation !== undefined && !isDeepStrictEqual(specOf(kind, old), specOf(kind, content));
  return {
    ...content,
    metadata: {
      ...without(object.metadata, 'deletionTimestamp', 'generation'),
      ...(uid !== undefined && { uid }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(generation !== undefined && { generation: generation + (moved ? 1 : 0) }),
    },
  };
}

/** What counts for metadata.generation: all but metadata, and but status where that is a subresource. */
function specOf(kind: ServedKind, object: StoredObject): object {
  const { metadata: _, status, ...rest } = object;
  return kind.statusSubresource ? rest : { ...rest, status };
}

function plain(object: StoredObject): object {
  return { ...object, metadata: without(object.metadata, 'resourceVersion') };
}

function without(meta: ObjectMeta, ...names: (keyof ObjectMeta)[]): ObjectMeta {
  return Object.fromEntries(
    Object.entries(meta).filter(([name]) => !names.includes(name as keyof ObjectMeta)),
  );
}

/** Kubernetes keeps whole seconds. */
function timestamp(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z');
}
