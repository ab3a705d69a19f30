// Where an object lives in the REST tree of the API server.
import type { ObjectKey, ResourceType } from '../client.ts';

/** Path of a collection (no name) or of one object, escaped; without the server's prefix and without a query. */
export function resourcePath(type: ResourceType, key: Partial<ObjectKey> = {}, subresource?: string): string {
  const root = type.group === '' ? ['api'] : ['apis', type.group];
  const namespace = key.namespace === undefined ? [] : ['namespaces', key.namespace];
  const name = key.name === undefined ? [] : [key.name];
  const sub = subresource === undefined ? [] : [subresource];
  const segments = [...root, type.version, ...namespace, type.plural, ...name, ...sub];
  return `/${segments.map(encodeURIComponent).join('/')}`;
}

/** `?a=b&c=d` of the parameters that are set, '' when none is. */
export function queryText(parameters: Record<string, string | number | boolean | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}
