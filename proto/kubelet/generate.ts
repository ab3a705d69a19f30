// Makes gen/ from the .proto files here: `node proto/kubelet/generate.ts [folder]`. Needs no network.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const bin = fileURLToPath(new URL('../../node_modules/.bin/', import.meta.url));

/** Node runs the generated files as they are, types stripped; the messages hold no enums, bytes or 64-bit integers. */
const options = [
  'outputServices=grpc-js',
  'importSuffix=.ts',
  'outputJsonMethods=false',
  'outputPartialMethods=false',
  'env=node',
];

const template = {
  version: 'v2',
  plugins: [{ local: `${bin}protoc-gen-ts_proto`, out: process.argv[2] ?? `${here}gen`, opt: options }],
};

execFileSync(`${bin}buf`, ['generate', here, '--template', JSON.stringify(template)], {
  stdio: 'inherit',
  env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
});
