// The schemas: the fields that clients of the component we replace know, and nothing that a CRD may not hold.
import { describe, expect, it } from 'vitest';
import { CUSTOM_KINDS } from '../../../proto/api/generator/custom-kinds.ts';
import { readSchema, type Schema } from '../../../proto/api/generator/schema.ts';
import { structuralSchema } from '../../../proto/api/generator/structural-schema.ts';

/** Each level of a schema with its path, e.g. `status.conditions[].type`. */
function levels(schema: Schema, path = ''): [path: string, level: Schema][] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    levels(inner, path === '' ? name : `${path}.${name}`),
  );
  return [[path, schema], ...below, ...(schema.items ? levels(schema.items, `${path}[]`) : [])];
}

function level(schema: Schema, path: string): Schema {
  const found = levels(schema).find(([one]) => one === path)?.[1];
  if (!found) throw new Error(`no ${path}`);
  return found;
}

function fields(schema: Schema, path: string): string[] {
  return Object.keys(level(schema, path).properties ?? {}).sort();
}

const nodeUsbDevice = structuralSchema('node-usb-device.json');
const usbDevice = structuralSchema('usb-device.json');
const nodeStatus = structuralSchema('usb-node-status.json');

const ATTRIBUTES = [
  'bcd',
  'bus',
  'deviceNumber',
  'devicePath',
  'major',
  'manufacturer',
  'minor',
  'name',
  'nodeName',
  'product',
  'productID',
  'serial',
  'speed',
  'vendorID',
];

/** What our schemas need of the OpenAPI subset; `$ref`, `definitions`, `additionalProperties: false`... are forbidden. */
const KEYWORDS = [
  'default',
  'description',
  'enum',
  'format',
  'items',
  'maxLength',
  'minLength',
  'minimum',
  'pattern',
  'properties',
  'required',
  'type',
];

describe.each(CUSTOM_KINDS.map((kind) => [kind.names.kind, kind] as const))('schema of %s', (_, kind) => {
  const schema = structuralSchema(kind.schema);

  it('has a type at every level', () => {
    const types = ['object', 'array', 'string', 'integer', 'number', 'boolean'];
    expect(levels(schema).filter(([, { type = '' }]) => !types.includes(type))).toEqual([]);
  });

  it('holds no keyword that a structural schema may not hold', () => {
    const used = new Set(levels(schema).flatMap(([, one]) => Object.keys(one)));
    expect([...used].filter((keyword) => !KEYWORDS.includes(keyword))).toEqual([]);
  });

  it('has properties in objects and items in arrays, nowhere else', () => {
    const wrong = levels(schema).filter(
      ([path, { type, properties, items }]) =>
        path !== 'metadata' && ((type === 'object') !== !!properties || (type === 'array') !== !!items),
    );
    expect(wrong).toEqual([]);
  });

  it('requires only what it has', () => {
    const wrong = levels(schema).flatMap(([path, { required = [], properties = {} }]) =>
      required.filter((name) => !(name in properties)).map((name) => `${path}.${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('describes every field, but for metadata, of which a CRD says nothing', () => {
    const silent = levels(schema).filter(([, one]) => !one.description);
    expect(silent).toEqual([['metadata', { type: 'object' }]]);
  });

  it('has patterns that are regular expressions', () => {
    const patterns = levels(schema).flatMap(([, { pattern }]) => (pattern ? [String(pattern)] : []));
    expect(() => patterns.map((pattern) => new RegExp(pattern))).not.toThrow();
  });

  it('allows no status by default', () => {
    expect(level(schema, 'status').default).toBeUndefined();
    expect(schema.required).not.toContain('status');
  });
});

describe('NodeUSBDevice', () => {
  it('has the fields of the component we replace, and our additions', () => {
    expect(fields(nodeUsbDevice, 'spec')).toEqual(['assignedNamespace', 'fingerprint']);
    expect(fields(nodeUsbDevice, 'status')).toEqual([
      'attributes',
      'conditions',
      'fingerprint',
      'identity',
      'nodeName',
      'observedGeneration',
      'pinnedFingerprint',
    ]);
    expect(fields(nodeUsbDevice, 'status.attributes')).toEqual(ATTRIBUTES);
  });

  it('needs a spec and nothing in it: no namespace is assigned then', () => {
    expect(nodeUsbDevice.required).toEqual(['metadata', 'spec']);
    expect(level(nodeUsbDevice, 'spec').required).toBeUndefined();
    expect(level(nodeUsbDevice, 'spec.assignedNamespace').default).toBe('');
  });

  it.each([
    ['', true],
    [`sha256:${'0a'.repeat(32)}`, true],
    [`sha256:${'0A'.repeat(32)}`, false],
    ['sha256:', false],
    ['0a'.repeat(32), false],
  ])('takes %j as an approved fingerprint: %s', (text, good) => {
    const { pattern } = level(nodeUsbDevice, 'spec.fingerprint');
    expect(new RegExp(String(pattern)).test(text)).toBe(good);
  });
});

describe('USBDevice', () => {
  it('has no spec, and the fields of the component we replace with our additions', () => {
    expect(fields(usbDevice, '')).toEqual(['apiVersion', 'kind', 'metadata', 'status']);
    expect(fields(usbDevice, 'status')).toEqual([
      'attributes',
      'conditions',
      'fingerprint',
      'identity',
      'nodeName',
      'observedGeneration',
    ]);
    expect(usbDevice.required).toEqual(['metadata']);
  });

  it('has the attributes and conditions of NodeUSBDevice', () => {
    for (const path of ['status.attributes', 'status.conditions[]']) {
      expect(level(usbDevice, path)).toEqual(level(nodeUsbDevice, path));
    }
  });
});

describe('additions of ours', () => {
  const theirs = ['attributes', 'conditions', 'nodeName', 'observedGeneration', 'assignedNamespace'];

  it.each([
    ['NodeUSBDevice', nodeUsbDevice, ['spec', 'status']],
    ['USBDevice', usbDevice, ['status']],
  ] as const)('to %s are optional and say that they are additions', (_, schema, parts) => {
    for (const part of parts) {
      for (const [name, field] of Object.entries(level(schema, part).properties ?? {})) {
        expect([name, field.description?.startsWith('Addition: ')]).toEqual([name, !theirs.includes(name)]);
      }
      expect(level(schema, part).required).toBeUndefined();
    }
  });
});

describe('conditions', () => {
  const condition = level(nodeUsbDevice, 'status.conditions[]');
  const pattern = (name: string) => new RegExp(String(condition.properties?.[name]?.pattern));

  it('are validated as every metav1.Condition is', () => {
    const { type, status, reason, message, lastTransitionTime, observedGeneration } =
      condition.properties ?? {};
    expect([...(condition.required ?? [])].sort()).toEqual([
      'lastTransitionTime',
      'message',
      'reason',
      'status',
      'type',
    ]);
    expect(type).toMatchObject({ type: 'string', maxLength: 316 });
    expect(status).toMatchObject({ type: 'string', enum: ['True', 'False', 'Unknown'] });
    expect(reason).toMatchObject({ type: 'string', minLength: 1, maxLength: 1024 });
    expect(message).toMatchObject({ type: 'string', maxLength: 32768 });
    expect(lastTransitionTime).toMatchObject({ type: 'string', format: 'date-time' });
    expect(observedGeneration).toMatchObject({ type: 'integer', format: 'int64', minimum: 0 });
  });

  it.each([
    ['Ready', true],
    ['example.com/Ready', true],
    ['Example.com/Ready', false],
    ['', false],
  ])('may have the type %j: %s', (text, good) => {
    expect(pattern('type').test(text)).toBe(good);
  });

  it.each([
    ['NodeNotReady', true],
    ['No_More', true],
    ['1st', false],
    ['two words', false],
  ])('may have the reason %j: %s', (text, good) => {
    expect(pattern('reason').test(text)).toBe(good);
  });
});

describe('USBNodeStatus', () => {
  it('has one form for every reference to an object', () => {
    const claim = level(nodeStatus, 'status.attachments[].claim');
    expect(level(nodeStatus, 'status.attachments[].pod')).toEqual(claim);
    expect(level(nodeStatus, 'status.exports[].claim')).toEqual(claim);
    expect(claim.required).toEqual(['namespace', 'name', 'uid']);
  });

  it('allows the speed of slow devices, which is no integer', () => {
    expect(level(nodeStatus, 'status.devices[].speed').type).toBe('number');
  });

  it('leaves out what a device does not tell', () => {
    const { required = [] } = level(nodeStatus, 'status.devices[]');
    for (const name of ['manufacturer', 'product', 'serial']) expect(required).not.toContain(name);
  });
});

describe('references', () => {
  it('leave no trace in what a CRD holds', () => {
    expect(readSchema('usb-node-status.json')).toHaveProperty('$defs.ObjectRef');
    expect(JSON.stringify(nodeStatus)).not.toMatch(/\$ref|\$defs/);
  });

  it('to nothing are found when the manifests are made', () => {
    expect(() => structuralSchema('no-such-kind.json')).toThrow(/no-such-kind/);
  });
});
