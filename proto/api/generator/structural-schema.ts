// From a schema of ours to the form that a CRD may hold: no references, nothing about metadata.
import { readSchema, type Schema } from './schema.ts';

/**
 * The schema of a kind with every `$ref` replaced by what it names. A structural schema has no references
 * (apiextensions-apiserver, pkg/apiserver/schema/validation.go), and says of `metadata` only that it is an object.
 */
export function structuralSchema(file: string): Schema {
  const root = resolve(readSchema(file), file);
  return root.properties?.metadata
    ? { ...root, properties: { ...root.properties, metadata: { type: 'object' } } }
    : root;
}

function resolve(schema: Schema, file: string): Schema {
  return resolveValue(schema, file) as Schema;
}

function resolveValue(value: unknown, file: string): unknown {
  if (Array.isArray(value)) return value.map((one) => resolveValue(one, file));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return target(String(value.$ref), file);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '$defs')
      .map(([key, inner]) => [key, resolveValue(inner, file)]),
  );
}

/** What `#/$defs/Name` of `file`, or another file, holds. */
function target(ref: string, file: string): Schema {
  if (!ref.startsWith('#')) return resolve(readSchema(ref), ref);
  const name = ref.replace('#/$defs/', '');
  const found = (readSchema(file).$defs as Record<string, Schema> | undefined)?.[name];
  if (!found) throw new Error(`${file} has no ${ref}`);
  return resolve(found, file);
}
