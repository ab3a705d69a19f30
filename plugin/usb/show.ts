// kubectl virt usb show.
import { type DocumentFormat, formatDocument } from '../output/document.ts';
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { readEvents } from './device-events.ts';
import { type DeviceRow, joinDevices } from './device-row.ts';
import { findDevice } from './find-device.ts';
import { deviceKey } from './hold.ts';
import { concerns } from './namespace-filter.ts';
import { factsOf, readFacts, type UsbCollections } from './read-facts.ts';
import { showPage } from './show-page.ts';
import { reduceStatus } from './status-list.ts';

/** The policy is loaded while the cluster answers: each takes tens of milliseconds. */
export async function showDevice(args: Arguments, host: Host): Promise<number> {
  const format = args.text('output');
  const namespace = args.text('namespace');
  const kube = await host.connect(args);
  try {
    const [collections, select] = await Promise.all([readFacts(kube, namespace), host.loadSelect()]);
    const rows = joinDevices(factsOf(collections), host.now()).filter(
      (row) => namespace === undefined || concerns(row, namespace),
    );
    const row = findDevice(args.text('device') ?? '', rows, select);
    if (format === 'name') host.stdout.write(`${row.name}\n`);
    else if (format === 'json' || format === 'yaml')
      host.stdout.write(await documentOf(row, collections, format));
    else {
      // A document holds only what the API said, so notes about the joined view belong to the page.
      for (const note of collections.notes) host.stderr.write(`note: ${note}\n`);
      const events = await readEvents(kube, row.hold);
      host.stdout.write(showPage({ row, statuses: collections.statuses.items, events, now: host.now() }));
    }
    return 0;
  } finally {
    kube.close();
  }
}

/** The report of the device's node with nothing but this device. */
function documentOf(row: DeviceRow, { statuses }: UsbCollections, format: DocumentFormat): Promise<string> {
  const report = statuses.items.find(({ metadata }) => metadata.name === row.node) ?? {
    metadata: { name: row.node },
  };
  return formatDocument(reduceStatus(report, new Set([deviceKey(row.node, row.name)])), format);
}
