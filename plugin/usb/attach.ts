// kubectl virt usb attach.
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { planAttach } from './change/attach-plan.ts';
import { changeOptions } from './change/change-options.ts';
import { needKinds, readDevice } from './change/read-device.ts';
import { runChange } from './change/run-change.ts';
import { findVm, parseVm } from './change/vm.ts';

/** Milliseconds. */
const TIMEOUT = 120_000;

/** Everything is looked for in the namespace of the VM: a person may have no rights elsewhere. */
export async function attachDevice(args: Arguments, host: Host): Promise<number> {
  const options = changeOptions(args, TIMEOUT);
  const wanted = parseVm(args.text('vm') ?? '', args.text('namespace'));
  const namespace = wanted.namespace ?? (await host.namespaceOf(args));
  const kube = await host.connect(args);
  let selector = args.text('device') ?? '';
  try {
    const planner = async (agreed: boolean) => {
      const { row, collections } = await readDevice(kube, host, selector, namespace);
      needKinds(collections, 'virtualMachines', 'usbDevices');
      selector = row.name;
      const vm = findVm(wanted.name, namespace, collections.vms?.items ?? []);
      return planAttach({
        row,
        vm,
        mayAssign: agreed || args.isOn('assign'),
        seesAssignments: collections.nodeUsbDevices !== undefined,
        waits: options.waits,
      });
    };
    return await runChange(planner, options, kube, host);
  } finally {
    kube.close();
  }
}
