// JSON patches that apply only to the object they were planned for, so that two people never overwrite each other.
import type { KubeObject } from '../../../proto/kube/client.ts';
import type { PatchOperation } from '../../../proto/kube/memory/json-patch.ts';

/**
 * A `test` that the member at `path` still has its value. A member that is absent cannot be tested (RFC 6902, 4.6):
 * then the version of the whole object is.
 */
export function testOf(object: KubeObject, path: readonly string[]): PatchOperation {
  const value = path.reduce<unknown>(memberOf, object);
  if (value !== undefined) return { op: 'test', path: `/${path.join('/')}`, value };
  return { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
