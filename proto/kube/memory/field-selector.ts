// Field selectors: `metadata.name=a,spec.nodeName!=b`, on the fields that a kind offers.
import { badRequest } from './api-failure.ts';
import type { ServedKind, StoredObject } from './served-kind.ts';

/** All parts must hold; '' selects everything. Throws 400 for text that is no selector and for other fields. */
export function parseFieldSelector(kind: ServedKind, text: string): (object: StoredObject) => boolean {
  const known = new Set(['metadata.name', ...(kind.namespaced ? ['metadata.namespace'] : [])]);
  for (const field of kind.selectableFields ?? []) known.add(field);
  const terms = text.split(',').filter((part) => part !== '');
  const tests = terms.map((term) => {
    const [, field = '', operator, value] = /^([^=!]+)(==|=|!=)([^=!]*)$/.exec(term) ?? [];
    if (operator === undefined) throw badRequest(`invalid field selector: ${term}`);
    if (!known.has(field)) throw badRequest(`"${field}" is not a known field selector`);
    return (object: StoredObject) => (fieldText(object, field) === value) === (operator !== '!=');
  });
  return (object) => tests.every((test) => test(object));
}

/** A field that is not set compares as ''. */
function fieldText(object: StoredObject, field: string): string {
  let value: unknown = object;
  for (const step of field.split('.')) {
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
  }
  return value === undefined || value === null ? '' : String(value);
}
