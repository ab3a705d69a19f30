// What one call is about, so that every error can name the verb, the object and the server.
import type { ObjectKey, ResourceType } from '../client.ts';

export interface CallSubject {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  /** Absent for a raw path. */
  readonly type?: ResourceType;
  readonly key?: Partial<ObjectKey>;
  /** Only of a raw call. */
  readonly path?: string;
  readonly server: string;
  /** Where the connection came from. */
  readonly source: string;
}

/** `pods`, `resourceslices.resource.k8s.io`: the form that `kubectl get` takes. */
export function kindText(type: ResourceType): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/** `get pods "web" in namespace "shop" at https://10.0.0.1:6443`. */
export function subjectText({ verb, type, key, path, server }: CallSubject): string {
  const kind = type ? kindText(type) : (path ?? '');
  const name = key?.name === undefined ? '' : ` "${key.name}"`;
  const namespace = key?.namespace === undefined ? '' : ` in namespace "${key.namespace}"`;
  return `${verb} ${kind}${name}${namespace} at ${server}`;
}
