// Pruning and checking by a schema, over random schemas and values.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ObjectSchema, prunedValue } from '../../../proto/kube/memory/object-schema.ts';
import { schemaErrors } from '../../../proto/kube/memory/schema-errors.ts';

const member = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');

const { schema } = fc.letrec<{ schema: ObjectSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<ObjectSchema>(
      { type: 'string' },
      { type: 'string', enum: ['x', 'y'] },
      { type: 'integer', minimum: 0, maximum: 5 },
      { type: 'number' },
      { type: 'boolean' },
    ),
    fc.record({ type: fc.constant('array' as const), items: tie('schema') }),
    fc.record({ type: fc.constant('object' as const), additionalProperties: tie('schema') }),
    fc
      .dictionary(member, tie('schema'))
      .map((properties) => ({ type: 'object' as const, properties, required: Object.keys(properties) })),
  ),
}));

/** A value that a schema describes. */
function describedBy({
  type,
  items,
  properties,
  additionalProperties,
  enum: words,
}: ObjectSchema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return words ? fc.constantFrom(...words) : fc.string();
    case 'integer':
      return fc.integer({ min: 0, max: 5 });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(describedBy(items ?? {}), { maxLength: 3 });
    default:
      return properties
        ? fc.record(
            Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, describedBy(each)])),
          )
        : fc.dictionary(member, describedBy(additionalProperties ?? {}), { maxKeys: 3 });
  }
}

const described = schema.chain((each) => fc.tuple(fc.constant(each), describedBy(each)));

describe('a schema', () => {
  it('takes every value that it describes, and drops nothing of it', () => {
    fc.assert(
      fc.property(described, ([each, value]) => {
        expect(schemaErrors(each, value)).toEqual([]);
        expect(prunedValue(each, value)).toEqual(value);
      }),
    );
  });

  it('prunes any value once and for all, and what is unknown does not change the errors', () => {
    fc.assert(
      fc.property(schema, fc.jsonValue(), (each, value) => {
        const pruned = prunedValue(each, value);
        expect(prunedValue(each, pruned)).toEqual(pruned);
        expect(schemaErrors(each, pruned)).toEqual(schemaErrors(each, value));
      }),
    );
  });
});
