// Every file that is made from schemas/, in memory.
import { readdirSync } from 'node:fs';
import { crdManifest } from './crd-manifest.ts';
import { CUSTOM_KINDS } from './custom-kinds.ts';
import { readSchema } from './schema.ts';
import { typeSource } from './type-source.ts';

const SCHEMAS = new URL('../schemas/', import.meta.url);

/** Content by path from the root of the repository. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const file of readdirSync(SCHEMAS).sort()) {
    files.set(`proto/api/gen/${file.replace(/\.json$/, '.ts')}`, await typeSource(file, readSchema(file)));
  }
  for (const kind of CUSTOM_KINDS) {
    files.set(`node/deploy/crds/${kind.schema.replace(/\.json$/, '.yaml')}`, crdManifest(kind));
  }
  return files;
}
