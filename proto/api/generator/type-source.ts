// From a schema to its TypeScript types.
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import type { Schema } from './schema.ts';

const HEADER = '// Generated from ../schemas by `npm run generate`: do not edit.';

/** In the form that biome gives to what people write. */
const STYLE = { singleQuote: true, bracketSpacing: true, printWidth: 110 };

/** A type that another file declares. */
interface Elsewhere {
  readonly type: string;
  readonly from: string;
}

const OBJECT_META: Elsewhere = { type: 'ObjectMeta', from: '../resource.ts' };

/** `usb-device.json` becomes `UsbDevice`. */
export function typeName(file: string): string {
  return file
    .replace(/\.json$/, '')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Source of the types of the schema `file`; parts in `$defs` are exported under their names there. */
export async function typeSource(file: string, schema: Schema): Promise<string> {
  const elsewhere = new Map<string, Elsewhere>();
  const prepared = atRoot(refer(schema, elsewhere), elsewhere);
  const imports = [...elsewhere.values()]
    .sort((a, b) => a.from.localeCompare(b.from))
    .map(({ type, from }) => `import type { ${type} } from '${from}';`);
  return compile(prepared as JSONSchema, typeName(file), {
    bannerComment: [HEADER, ...imports].join('\n'),
    additionalProperties: false,
    style: STYLE,
  });
}

/** Every reference to another file as the type that is made from that file, so that each type exists once. */
function refer(schema: unknown, elsewhere: Map<string, Elsewhere>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => refer(one, elsewhere));
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema && typeof schema.$ref === 'string' && !schema.$ref.startsWith('#')) {
    const type = typeName(schema.$ref);
    elsewhere.set(type, { type, from: `./${schema.$ref.replace(/\.json$/, '.ts')}` });
    return { tsType: type };
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value, elsewhere)]));
}

/** The metadata of a kind: the API server defines them, so no schema of ours does. What it has stored has a name. */
function atRoot(schema: unknown, elsewhere: Map<string, Elsewhere>): unknown {
  const root = schema as Schema;
  const metadata = root.properties?.metadata;
  if (!metadata) return root;
  elsewhere.set(OBJECT_META.type, OBJECT_META);
  const tsType = `${OBJECT_META.type} & { name: string }`;
  return { ...root, properties: { ...root.properties, metadata: { ...metadata, tsType } } };
}
