// TypeScript types from schemas.
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../proto/api/gen/condition.ts';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import type { ObjectRef, UsbDeviceStatus, UsbNodeStatus } from '../../../proto/api/gen/usb-node-status.ts';
import type { Schema } from '../../../proto/api/generator/schema.ts';
import { typeName, typeSource } from '../../../proto/api/generator/type-source.ts';
import type { KubeObject } from '../../../proto/kube/client.ts';

/** The source without comments and indentation. */
async function source(schema: Schema): Promise<string[]> {
  const text = await typeSource('desk-lamp.json', schema);
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
}

function lamp(properties: Record<string, Schema>, more: Schema = {}): Schema {
  return { type: 'object', properties, ...more };
}

describe('a schema as types', () => {
  it('is named after its file', async () => {
    expect(typeName('usb-device-attributes.json')).toBe('UsbDeviceAttributes');
    expect(await source(lamp({}))).toEqual(['export interface DeskLamp {}']);
  });

  it('marks what is not required as optional', async () => {
    const schema = lamp({ on: { type: 'boolean' }, watts: { type: 'number' } }, { required: ['on'] });
    expect(await source(schema)).toEqual([
      'export interface DeskLamp {',
      'on: boolean;',
      'watts?: number;',
      '}',
    ]);
  });

  it('gives each choice of a text', async () => {
    const schema = lamp({ colour: { type: 'string', enum: ['warm', 'cold'] } });
    expect(await source(schema)).toContain("colour?: 'warm' | 'cold';");
  });

  it('exports its parts once, however often they are used', async () => {
    const bulb = { $ref: '#/$defs/Bulb' };
    const schema = lamp(
      { left: bulb, right: bulb, spare: { type: 'array', items: bulb } },
      { $defs: { Bulb: lamp({ watts: { type: 'integer' } }) } },
    );
    const lines = await source(schema);
    expect(lines.filter((line) => line.startsWith('export'))).toEqual([
      'export interface DeskLamp {',
      'export interface Bulb {',
    ]);
    expect(lines).toContain('spare?: Bulb[];');
  });

  it('imports the parts that have files of their own', async () => {
    const schema = lamp({
      plug: { $ref: 'wall-plug.json' },
      conditions: { type: 'array', items: { $ref: 'condition.json' } },
    });
    expect(await source(schema)).toEqual([
      "import type { Condition } from './condition.ts';",
      "import type { WallPlug } from './wall-plug.ts';",
      'export interface DeskLamp {',
      'plug?: WallPlug;',
      'conditions?: Condition[];',
      '}',
    ]);
  });

  it('takes metadata from the API, with a name', async () => {
    const lines = await source(lamp({ metadata: { type: 'object' } }, { required: ['metadata'] }));
    expect(lines[0]).toBe("import type { ObjectMeta } from '../resource.ts';");
    expect(lines).toContain('metadata: ObjectMeta & { name: string };');
  });

  it('keeps the descriptions', async () => {
    const text = await typeSource(
      'desk-lamp.json',
      lamp({ on: { type: 'boolean', description: 'It shines.' } }),
    );
    expect(text).toContain('* It shines.');
  });
});

describe('the types of our kinds', () => {
  it('are objects that the client reads and writes', () => {
    const ready: Condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-12-01T00:00:00Z',
    };
    const claim: ObjectRef = { namespace: 'shop', name: 'till', uid: '1' };
    const device: Pick<UsbDeviceStatus, 'verdict' | 'speed'> = { verdict: 'Offered', speed: 1.5 };
    const assigned: NodeUsbDevice = {
      metadata: { name: 'usb-1' },
      spec: {},
      status: { conditions: [ready] },
    };
    const given: UsbDevice = { metadata: { name: 'usb-1', namespace: claim.namespace } };
    const status: UsbNodeStatus = { metadata: { name: 'a' } };
    const objects: KubeObject[] = [assigned, given, status];
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['usb-1', 'usb-1', 'a']);
    expect(device.speed).toBe(1.5);
  });
});
