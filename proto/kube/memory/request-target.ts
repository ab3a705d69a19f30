// What the path of a request points at: a collection or an object of a kind that is served.
import type { MemoryStore } from './memory-store.ts';
import type { ServedKind } from './served-kind.ts';

export interface RequestTarget {
  readonly kind: ServedKind;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Undefined for every path that points at nothing. */
export function requestTarget(store: MemoryStore, path: string): RequestTarget | undefined {
  const [root, ...segments] = path.split('/').slice(1).map(decodeURIComponent);
  const group = root === 'api' ? '' : root === 'apis' ? segments.shift() : undefined;
  const version = segments.shift();
  if (group === undefined || version === undefined) return undefined;
  // `namespaces/a/status` is a subresource, `namespaces/a/pods` a collection.
  const inNamespace = segments[0] === 'namespaces' && segments.length > 2 && segments[2] !== 'status';
  const namespace = inNamespace ? segments.splice(0, 2)[1] : undefined;
  const [plural = '', name, subresource, ...more] = segments;
  const kind = store.kind(group, version, plural);
  if (!kind || more.length > 0 || name === '') return undefined;
  if (namespace !== undefined && !kind.namespaced) return undefined;
  if (namespace === undefined && kind.namespaced && name !== undefined) return undefined;
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}
