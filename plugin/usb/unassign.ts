// kubectl virt usb unassign.
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { changeOptions } from './change/change-options.ts';
import { needKinds, readDevice } from './change/read-device.ts';
import { runChange } from './change/run-change.ts';
import { planUnassign } from './change/unassign-plan.ts';

/** Milliseconds. */
const TIMEOUT = 60_000;

/** Looks at all namespaces: whoever uses the device must be named before it is taken away. */
export async function unassignDevice(args: Arguments, host: Host): Promise<number> {
  const options = changeOptions(args, TIMEOUT);
  const kube = await host.connect(args);
  let selector = args.text('device') ?? '';
  try {
    const planner = async (agreed: boolean) => {
      const { row, collections } = await readDevice(kube, host, selector, undefined);
      needKinds(collections, 'nodeUsbDevices');
      selector = row.name;
      return planUnassign(row, agreed);
    };
    return await runChange(planner, options, kube, host);
  } finally {
    kube.close();
  }
}
