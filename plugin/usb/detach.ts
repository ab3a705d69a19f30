// kubectl virt usb detach.
import type { KubeClient } from '../../proto/kube/client.ts';
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { changeOptions } from './change/change-options.ts';
import { planDetach } from './change/detach-plan.ts';
import { type DeviceReading, needKinds, readDevice } from './change/read-device.ts';
import { runChange } from './change/run-change.ts';
import { findVm, parseVm } from './change/vm.ts';

/** Milliseconds. */
const TIMEOUT = 60_000;

/** Without a VM, the one that has the device is looked for in all namespaces, or in that of -n. */
export async function detachDevice(args: Arguments, host: Host): Promise<number> {
  const options = changeOptions(args, TIMEOUT);
  const word = args.text('vm');
  const flag = args.text('namespace');
  const wanted = word === undefined ? undefined : parseVm(word, flag);
  const namespace = wanted ? (wanted.namespace ?? (await host.namespaceOf(args))) : flag;
  const kube = await host.connect(args);
  let selector = args.text('device') ?? '';
  try {
    const planner = async (agreed: boolean) => {
      const { row, collections } =
        namespace === undefined
          ? await readEverywhere(kube, host, selector, args)
          : await readDevice(kube, host, selector, namespace);
      needKinds(collections, 'virtualMachines');
      selector = row.name;
      const all = collections.vms?.items ?? [];
      const vms = wanted ? [findVm(wanted.name, namespace ?? '', all)] : all;
      return planDetach({ row, vms, named: wanted !== undefined, agreed });
    };
    return await runChange(planner, options, kube, host);
  } finally {
    kube.close();
  }
}

/** Who may not list the VMs of all namespaces means those of the own one. */
async function readEverywhere(
  kube: KubeClient,
  host: Host,
  selector: string,
  args: Arguments,
): Promise<DeviceReading> {
  const reading = await readDevice(kube, host, selector, undefined);
  if (reading.collections.refusals.get('virtualMachines')?.code !== 'FORBIDDEN') return reading;
  return readDevice(kube, host, reading.row.name, await host.namespaceOf(args));
}
