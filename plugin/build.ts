// Bundles kubectl-virt into dist, or into the folder that is given: `kubectl-virt` is the small file that kubectl finds
// and starts; the program is beside it in `plugin`, in one file, with the policy's WebAssembly.
import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? `${root}dist`;
const out = `${target}/plugin`;

/**
 * Runs as CommonJS and as an ES module, because an extensionless file is the one or the other by where it lies; so it
 * has neither `require` nor `import`, which would also load half of node:fs. The code cache is the person's own folder:
 * in the shared one of /tmp another user could put code. A home folder that is missing is not made.
 */
const LAUNCHER = `#!/usr/bin/env node
// Starts kubectl-virt with its code cache.
const [major, minor] = process.version.slice(1).split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) start();
else {
  process.stderr.write('error: Node ' + process.version + ' is too old for kubectl virt (BAD_CONFIG)\\n');
  process.stderr.write('hint: put Node 22.19 or newer first on the PATH\\n');
  process.exitCode = 2;
}

function start() {
  const { existsSync, realpathSync } = process.getBuiltinModule('fs');
  const { createRequire, enableCompileCache } = process.getBuiltinModule('module');
  const home = process.getBuiltinModule('os').homedir();
  const cache = process.env.NODE_COMPILE_CACHE ?? (existsSync(home) ? home + '/.kube/cache/virt' : undefined);
  if (cache) enableCompileCache(cache);
  createRequire(realpathSync(process.argv[1]))('./plugin/main.cjs');
}
`;

/** What yargs imports and hardly uses, in place of modules that cost milliseconds at every start. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  // Builds an Intl.Segmenter and emoji tables (7 ms).
  'string-width': "export { textWidth as default } from './plugin/output/text-width.ts';",
  // Brings in the whole of Node's difference printer (5 ms).
  assert: `
    export function strictEqual(a, b, message) { if (!Object.is(a, b)) throw new Error(message); }
    export function notStrictEqual(a, b, message) { if (Object.is(a, b)) throw new Error(message); }`,
};

const substitute: Plugin = {
  name: 'substitute',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${Object.keys(SUBSTITUTES).join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'substitute' }));
    onLoad({ filter, namespace: 'substitute' }, ({ path }) => ({
      contents: SUBSTITUTES[path] ?? '',
      resolveDir: root,
      loader: 'js',
    }));
  },
};

await rm(out, { recursive: true, force: true });
await build({
  entryPoints: [`${root}plugin/main.ts`],
  outfile: `${out}/main.cjs`,
  bundle: true,
  minify: true,
  keepNames: true,
  platform: 'node',
  // Loads a few milliseconds sooner than an ES module, and evaluates a dynamically imported part when it is asked for.
  format: 'cjs',
  target: 'node22',
  legalComments: 'linked',
  plugins: [substitute],
  define: { BUNDLED: 'true', 'import.meta.url': '__bundleUrl' },
  banner: { js: "const __bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
});
// The whole component and the types beside the generated code are for builds only.
await cp(`${root}wasm/gen/device-policy`, `${out}/device-policy`, {
  recursive: true,
  filter: (path) => /device-policy(\/device-policy\.(js|core\d*\.wasm))?$/.test(path),
});
await writeFile(`${out}/package.json`, '{ "type": "module" }\n');
await writeFile(`${target}/kubectl-virt`, LAUNCHER);
await chmod(`${target}/kubectl-virt`, 0o755);
const { length } = await readFile(`${out}/main.cjs`);
process.stdout.write(`${out}/main.cjs ${(length / 1024).toFixed(0)} KiB\n`);
