// kubectl virt usb claim.
import { formatDocument } from '../output/document.ts';
import { safeText } from '../output/safe-text.ts';
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { whyNotReady } from './change/device-refusal.ts';
import { needKinds, readDevice } from './change/read-device.ts';
import { podObjects } from './pod-snippet.ts';

/** Objects go to stdout, so that they can be piped into kubectl; what a person must know goes to stderr. */
export async function printClaim(args: Arguments, host: Host): Promise<number> {
  const mode = args.text('mode') === 'driver' ? 'driver' : 'usbfs';
  const format = args.text('output') === 'json' ? 'json' : 'yaml';
  const namespace = args.text('namespace');
  const kube = await host.connect(args);
  try {
    const { row, collections } = await readDevice(kube, host, args.text('device') ?? '', namespace);
    needKinds(collections, collections.nodeUsbDevices ? 'nodeUsbDevices' : 'usbDevices');
    const { objects, notes } = podObjects(row, namespace, mode);
    const unready = whyNotReady(row);
    for (const note of [...notes, ...(unready ? [`${unready.message}; ${unready.hint}`] : [])])
      host.stderr.write(`note: ${safeText(note)}\n`);
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    // A JSON text is one value; in YAML two documents are easier to change by hand.
    const values = format === 'json' && objects.length > 1 ? [list] : objects;
    const documents = await Promise.all(values.map((value) => formatDocument(value, format)));
    host.stdout.write(documents.join('---\n'));
    return 0;
  } finally {
    kube.close();
  }
}
