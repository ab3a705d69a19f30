// The Kubernetes client as both programs see it: REST verbs on JSON objects, watches, typed errors.
import type { ObjectMeta } from '../api/resource.ts';

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** A kind of objects as its REST path: `group` is '' for the core API. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** One object. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Page size; the client follows `continue` itself. Default 500. */
  readonly limit?: number;
}

export interface ListResult<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

/** The two that mean the same for every kind: kinds of a CRD take no strategic patch, and apply needs field owners. */
export type PatchType = 'json' | 'merge';

export interface WriteOptions {
  readonly subresource?: 'status';
  readonly dryRun?: boolean;
}

export interface DeletePreconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole call; default 30 s. */
  readonly timeout?: number;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/**
 * Every method rejects with TypedError: UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, API_NOT_SERVED (the kind itself is
 * unknown to the server), CONFLICT (409), GONE (410), INVALID_OBJECT (400, 422), TOO_MANY_REQUESTS, SERVER_ERROR,
 * SERVER_UNREACHABLE, CERTIFICATE_EXPIRED, CERTIFICATE_UNTRUSTED, TIMED_OUT.
 */
export interface KubeClient {
  get<T extends KubeObject>(type: ResourceType, key: ObjectKey, call?: CallOptions): Promise<T>;
  /** All pages. */
  list<T extends KubeObject>(
    type: ResourceType,
    options?: ListOptions,
    call?: CallOptions,
  ): Promise<ListResult<T>>;
  create<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options?: WriteOptions,
    call?: CallOptions,
  ): Promise<T>;
  /** PUT; `metadata.resourceVersion` in the object is the precondition. */
  update<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options?: WriteOptions,
    call?: CallOptions,
  ): Promise<T>;
  patch<T extends KubeObject>(
    type: ResourceType,
    key: ObjectKey,
    patchType: PatchType,
    patch: unknown,
    options?: WriteOptions,
    call?: CallOptions,
  ): Promise<T>;
  delete(
    type: ResourceType,
    key: ObjectKey,
    preconditions?: DeletePreconditions,
    call?: CallOptions,
  ): Promise<void>;
  /** One watch request from `resourceVersion`; ends when the server closes it; 410 rejects with GONE. */
  watch<T extends KubeObject>(
    type: ResourceType,
    resourceVersion: string,
    options?: ListOptions,
    call?: CallOptions,
  ): AsyncIterable<WatchEvent<T>>;
  /** A raw GET, for /version, /readyz and discovery. */
  getRaw(path: string, call?: CallOptions): Promise<unknown>;
  /** Closes idle connections. */
  close(): void;
}
