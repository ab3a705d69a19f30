// Makes gen/ and the CRD manifests from schemas/: `node proto/api/generate.ts`. Needs no network.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './generator/generated-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

for (const [path, content] of await generatedFiles()) {
  mkdirSync(dirname(root + path), { recursive: true });
  writeFileSync(root + path, content);
}
