// Where a value breaks the schema of its kind, in the sentences of kube-apiserver (seen with 1.37).
import type { FieldError } from './api-failure.ts';
import { memberSchema, type ObjectSchema } from './object-schema.ts';

/** Sorted by field; `field` is where the value is. A member that is null counts as absent. */
export function schemaErrors(schema: ObjectSchema, value: unknown, field = ''): FieldError[] {
  const found = typeOf(value);
  const { type = found } = schema;
  if (found !== type && !(type === 'number' && found === 'integer')) {
    return [invalid(field, `"${found}"`, `must be of type ${type}: "${found}"`)];
  }
  if (Array.isArray(value)) return elementErrors(schema, value, field);
  if (found === 'object') return memberErrors(schema, value as object, field);
  return scalarErrors(schema, value, field);
}

function elementErrors({ items }: ObjectSchema, value: unknown[], field: string): FieldError[] {
  return items ? value.flatMap((item, index) => schemaErrors(items, item, `${field}[${index}]`)) : [];
}

function memberErrors(schema: ObjectSchema, value: object, field: string): FieldError[] {
  const inside = (member: string) => (field === '' ? member : `${field}.${member}`);
  const present = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  const names = new Set(present.map(([member]) => member));
  const missing = (schema.required ?? []).filter((member) => !names.has(member));
  const wrong = present.flatMap(([member, part]) => {
    const inner = memberSchema(schema, member);
    return inner ? schemaErrors(inner, part, inside(member)) : [];
  });
  return [...missing.map((member) => ({ field: inside(member), why: 'Required value' })), ...wrong].sort(
    (x, y) => (x.field < y.field ? -1 : 1),
  );
}

function scalarErrors(schema: ObjectSchema, value: unknown, field: string): FieldError[] {
  const { enum: allowed, minimum = -Infinity, maximum = Infinity } = schema;
  if (allowed && !allowed.includes(value as string)) {
    const supported = allowed.map((each) => JSON.stringify(each)).join(', ');
    return [{ field, why: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}` }];
  }
  if (typeof value !== 'number') return [];
  const bound = (rule: string, limit: number) =>
    invalid(field, String(value), `should be ${rule} than or equal to ${limit}`);
  if (value < minimum) return [bound('greater', minimum)];
  return value > maximum ? [bound('less', maximum)] : [];
}

function invalid(field: string, value: string, rule: string): FieldError {
  return { field, why: `Invalid value: ${value}: ${field} in body ${rule}` };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
