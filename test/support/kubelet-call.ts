// Calls a driver as the kubelet does, on the node where it serves: prints the devices as JSON, or the driver's error.
// node test/support/kubelet-call.ts prepare|unprepare <namespace> <name> <uid>
import { join } from 'node:path';
import { DRIVER, KUBELET } from '../../proto/api/names.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { openKubelet } from './kubelet-client.ts';

const USAGE = 'kubelet-call.ts prepare|unprepare <namespace> <name> <uid>';

async function call([verb, namespace, name, uid]: readonly string[]): Promise<void> {
  if (!namespace || !name || !uid || (verb !== 'prepare' && verb !== 'unprepare')) {
    throw new TypedError('USAGE', USAGE);
  }
  const kubelet = openKubelet(join(KUBELET.plugins, DRIVER, 'dra.sock'));
  try {
    const claim = { namespace, name, uid };
    console.log(JSON.stringify((await kubelet[verb](claim)) ?? null));
  } finally {
    kubelet.close();
  }
}

await call(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
