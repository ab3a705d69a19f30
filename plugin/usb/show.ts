// kubectl virt usb show.
import { readFormat } from '../output/format.ts';
import { headerLine, layOut, rowLine } from '../output/table.ts';
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { readEvents } from './device-events.ts';
import { joinDevices } from './device-row.ts';
import { findDevice } from './find-device.ts';
import { concerns } from './namespace-filter.ts';
import { factsOf, readFacts } from './read-facts.ts';
import { showPage } from './show-page.ts';
import { deviceObject } from './status-list.ts';

/** The policy is loaded while the cluster answers: each takes tens of milliseconds. */
export async function showDevice(args: Arguments, host: Host): Promise<number> {
  const format = await readFormat(args.text('output') ?? 'page', host);
  const namespace = args.text('namespace');
  const kube = await host.connect(args);
  try {
    const [collections, select] = await Promise.all([readFacts(kube, namespace), host.loadSelect()]);
    const rows = joinDevices(factsOf(collections), host.now()).filter(
      (row) => namespace === undefined || concerns(row, namespace),
    );
    const row = findDevice(args.text('device') ?? '', rows, select);
    const object = deviceObject(row, collections.statuses.items);
    if (format.kind === 'document') host.stdout.write(await format.print(object));
    else if (format.kind === 'columns') {
      const layout = layOut(format.columns, [object], { colour: host.stdout.colour });
      const header = args.isOn('no-headers') ? '' : headerLine(format.columns, layout);
      host.stdout.write(header + rowLine(format.columns, object, layout));
    } else if (format.name === 'name') host.stdout.write(`${row.name}\n`);
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
