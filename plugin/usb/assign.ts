// kubectl virt usb assign.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { planAssign } from './change/assign-plan.ts';
import { changeOptions } from './change/change-options.ts';
import { needKinds, readDevice } from './change/read-device.ts';
import { runChange } from './change/run-change.ts';

/** Milliseconds. */
const TIMEOUT = 60_000;

/** The namespace must be given: that of the context is where a person works, not to whom a device is given. */
export async function assignDevice(args: Arguments, host: Host): Promise<number> {
  const options = changeOptions(args, TIMEOUT);
  const namespace = args.text('namespace');
  if (namespace === undefined)
    throw new TypedError('USAGE', 'the namespace is missing', 'say who gets the device with -n NAMESPACE');
  const approves = args.isOn('approve-change');
  const kube = await host.connect(args);
  let selector = args.text('device') ?? '';
  try {
    const planner = async (agreed: boolean) => {
      const [{ row, collections }] = await Promise.all([
        readDevice(kube, host, selector, namespace),
        needNamespace(kube, namespace),
      ]);
      needKinds(collections, 'nodeUsbDevices');
      // What a person's words mean must not change between two looks.
      selector = row.name;
      return planAssign({ row, namespace, approves, agreed });
    };
    return await runChange(planner, options, kube, host);
  } finally {
    kube.close();
  }
}

/** The API would take any name, and then the device waits for a namespace that never comes. */
async function needNamespace(kube: KubeClient, name: string): Promise<void> {
  try {
    await kube.get(RESOURCE_TYPES.namespaces, { name });
  } catch (error) {
    if (error instanceof TypedError && error.code === 'FORBIDDEN') return;
    if (!(error instanceof TypedError) || error.code !== 'NOT_FOUND') throw error;
    throw new TypedError(
      'NOT_FOUND',
      `there is no namespace ${JSON.stringify(name)}`,
      'see: kubectl get namespaces',
      {
        cause: error,
      },
    );
  }
}
