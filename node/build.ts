// Bundles virt-node into dist/virt-node: one file for the image, beside the policies' WebAssembly. koffi stays outside
// because it loads a native library from its own package.
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = `${root}dist/virt-node`;

await rm(out, { recursive: true, force: true });
await build({
  entryPoints: [`${root}node/main.ts`],
  outfile: `${out}/main.mjs`,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  external: ['koffi'],
  sourcemap: 'linked',
  legalComments: 'none',
  // CommonJS packages inside an ES module bundle still call require and read __dirname.
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'node:module';",
      "import { dirname as __dirnameOf } from 'node:path';",
      "import { fileURLToPath as __fileURLToPath } from 'node:url';",
      'const require = __createRequire(import.meta.url);',
      'const __filename = __fileURLToPath(import.meta.url);',
      'const __dirname = __dirnameOf(__filename);',
    ].join('\n'),
  },
});
// The policy's loader looks beside its own folder, which a bundle has replaced by this one.
await cp(`${root}wasm/gen/device-policy`, `${root}dist/gen/device-policy`, { recursive: true });
