// Kinds with a schema in the API in memory: what is dropped, what is refused, in the sentences of kube-apiserver 1.37.2.
import { describe, expect, it } from 'vitest';
import type { ApiFailure } from '../../../proto/kube/memory/api-failure.ts';
import { type CustomResourceDefinition, servedKind } from '../../../proto/kube/memory/custom-kind.ts';
import { createdObject, updatedObject } from '../../../proto/kube/memory/object-rules.ts';
import { type ObjectSchema, prunedValue } from '../../../proto/kube/memory/object-schema.ts';
import { schemaErrors } from '../../../proto/kube/memory/schema-errors.ts';
import { GADGET_CRD } from '../../contract/kube/gadget-kind.ts';

const schema: ObjectSchema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9 },
        mode: { type: 'string', enum: ['usbfs', 'driver'] },
        ratio: { type: 'number' },
        on: { type: 'boolean' },
        ports: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};

const said = (spec: unknown) => schemaErrors(schema, { spec }).map(({ field, why }) => `${field}: ${why}`);

describe('a schema refuses', () => {
  it.each<[string, unknown, string]>([
    ['a missing member', {}, 'spec.size: Required value'],
    ['null for a member', { size: null }, 'spec.size: Required value'],
    [
      'text for a number',
      { size: 'big' },
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ],
    [
      'a fraction',
      { size: 1.5 },
      'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
    ],
    [
      'a number below the least',
      { size: 0 },
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    ],
    [
      'a number above the greatest',
      { size: 10 },
      'spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
    ],
    [
      'a word that is not in the list',
      { size: 1, mode: 'loud' },
      'spec.mode: Unsupported value: "loud": supported values: "usbfs", "driver"',
    ],
    [
      'a list for an object',
      [],
      'spec: Invalid value: "array": spec in body must be of type object: "array"',
    ],
    [
      'a wrong member of an element',
      { size: 1, ports: [{ n: 1 }, { n: 'x' }] },
      'spec.ports[1].n: Invalid value: "string": spec.ports[1].n in body must be of type integer: "string"',
    ],
    [
      'a wrong value of a map',
      { size: 1, labels: { a: 1 } },
      'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
    ],
  ])('%s', (_, spec, sentence) => {
    expect(said(spec)).toEqual([sentence]);
  });

  it('all that is wrong at once, sorted by field', () => {
    expect(said({ mode: 'loud', on: 1, size: 0 }).map((text) => text.split(':')[0])).toEqual([
      'spec.mode',
      'spec.on',
      'spec.size',
    ]);
  });
});

describe('a schema takes', () => {
  it.each<[string, unknown]>([
    ['what it describes', { size: 9, mode: 'driver', on: false, ports: [{ n: -1 }], labels: { a: '' } }],
    ['a whole number for a number', { size: 1, ratio: 2 }],
    ['null for what need not be there', { size: 1, mode: null }],
    ['what it does not know', { size: 1, colour: 'red' }],
  ])('%s', (_, spec) => {
    expect(said(spec)).toEqual([]);
  });
});

describe('pruning', () => {
  it('drops unknown members at every depth and keeps the values of maps', () => {
    const spec = { size: 1, colour: 'red', ports: [{ n: 1, speed: 5 }], labels: { any: 'value' } };
    expect(prunedValue(schema, { spec, extra: {} })).toEqual({
      spec: { size: 1, ports: [{ n: 1 }], labels: { any: 'value' } },
    });
  });

  it('leaves alone what is of another type: that is for the check to say', () => {
    for (const value of ['text', null, [1]]) expect(prunedValue(schema, value)).toEqual(value);
    expect(prunedValue(schema, { spec: 'text' })).toEqual({ spec: 'text' });
  });
});

describe('a kind of a CRD', () => {
  const gadget = servedKind(GADGET_CRD);
  const birth = { uid: 'uid-1', now: new Date(0), suffix: 'x' };
  const typed = { apiVersion: 'contract.kubectl-virt.dev/v1', kind: 'Gadget' };
  const create = (content: object) =>
    createdObject(gadget, 'shop', { ...typed, metadata: { name: 'a' }, ...content }, birth);

  it('is served as its definition says', () => {
    expect(gadget).toMatchObject({
      group: 'contract.kubectl-virt.dev',
      version: 'v1',
      kind: 'Gadget',
      plural: 'gadgets',
      namespaced: true,
      statusSubresource: true,
    });
  });

  it('can be of the cluster, without a status and with short names', () => {
    const { spec } = GADGET_CRD;
    const [version] = spec.versions;
    const { subresources: _, ...bare } = version ?? expect.unreachable('there is a version');
    const crd: CustomResourceDefinition = {
      ...GADGET_CRD,
      spec: {
        ...spec,
        scope: 'Cluster',
        names: { ...spec.names, shortNames: ['gd'] },
        versions: [{ ...bare, storage: false, name: 'v0' }, bare],
      },
    };
    expect(servedKind(crd)).toMatchObject({
      version: 'v1',
      namespaced: false,
      statusSubresource: false,
      shortNames: ['gd'],
    });
  });

  it('names all wrong fields of a body in one refusal, as causes too', () => {
    const refusal = refusalOf(() => create({ spec: { size: 0, mode: 'loud' } }));
    expect(refusal.message).toBe(
      'Gadget.contract.kubectl-virt.dev "a" is invalid: [spec.mode: Unsupported value: "loud": supported values: "usbfs", "driver", spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1]',
    );
    expect([refusal.code, refusal.reason]).toEqual([422, 'Invalid']);
    expect(refusal.details?.causes?.map(({ reason, field }) => [reason, field])).toEqual([
      ['FieldValueNotSupported', 'spec.mode'],
      ['FieldValueInvalid', 'spec.size'],
    ]);
    expect(refusalOf(() => create({ spec: { size: 'x' } })).details?.causes?.[0]?.reason).toBe(
      'FieldValueTypeInvalid',
    );
  });

  it('keeps its metadata, which no schema describes', () => {
    const made = create({ metadata: { name: 'a', labels: { x: 'y' } }, spec: { size: 1 }, more: 1 });
    expect(made).toMatchObject({ ...typed, metadata: { labels: { x: 'y' } }, spec: { size: 1 } });
    expect(made).not.toHaveProperty('more');
  });

  it('has its status checked when that is written, and its spec whenever', () => {
    const old = { ...create({ spec: { size: 1 } }) };
    const sent = { ...old, metadata: { ...old.metadata, resourceVersion: '7' } };
    const kept = { ...sent };
    const status = { seen: 'x' };
    expect(() => updatedObject(gadget, kept, { ...sent, status }, true)).toThrow('status.seen: ');
    expect(updatedObject(gadget, kept, { ...sent, status }, false)).toBe(kept);
    expect(() => updatedObject(gadget, kept, { ...sent, spec: {} }, false)).toThrow('spec.size: Required');
  });
});

function refusalOf(act: () => unknown): ApiFailure {
  try {
    act();
  } catch (error) {
    return error as ApiFailure;
  }
  return expect.unreachable('it was not refused');
}
