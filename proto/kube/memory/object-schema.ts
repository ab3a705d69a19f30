// The part of an OpenAPI schema of a CRD that the API in memory knows, and what it drops by it.

export interface ObjectSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly additionalProperties?: ObjectSchema;
  readonly items?: ObjectSchema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The schema of a member, or of an element; undefined for what the schema does not know. */
export function memberSchema(schema: ObjectSchema, member: string): ObjectSchema | undefined {
  const { properties = {}, additionalProperties } = schema;
  return Object.hasOwn(properties, member) ? properties[member] : additionalProperties;
}

/** The value without the members that the schema does not know, as the server prunes before it validates. */
export function prunedValue(schema: ObjectSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => prunedValue(items, item)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).flatMap(([member, part]) => {
    const inner = memberSchema(schema, member);
    return inner ? [[member, prunedValue(inner, part)] as const] : [];
  });
  return Object.fromEntries(known);
}
