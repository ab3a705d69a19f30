// Imports a device from any USB/IP server, prints where it is as JSON, and ends; or frees a port again:
// node test/support/usbip-import.ts --host 10.7.0.1 --port 3240 --bus-id 2-1 --vendor 46f4 --product 0001 --mode driver
// node test/support/usbip-import.ts --release '<the attachment printed before>'

import { parseArgs } from 'node:util';
import type { Attachment } from '../../node/dra/device-access.ts';
import { createLog } from '../../node/run/log.ts';
import { withFileLock } from '../../node/sys/file-lock.ts';
import { setSocketOptions } from '../../node/sys/socket-options.ts';
import { openUeventSocket } from '../../node/sys/uevent-socket.ts';
import { fingerprint } from '../../node/usb/fingerprint.ts';
import { hostTree } from '../../node/usb/host-tree.ts';
import { KernelNews } from '../../node/usb/kernel-news.ts';
import { netlinkUevents } from '../../node/usb/netlink-uevents.ts';
import { readUsbDevice } from '../../node/usb/read-device.ts';
import { type ImportAttachment, Importer } from '../../node/usbip/importer.ts';
import { Vhci } from '../../node/usbip/vhci.ts';
import { TypedError } from '../../proto/api/typed-error.ts';

const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    port: { type: 'string', default: '3240' },
    'bus-id': { type: 'string' },
    vendor: { type: 'string' },
    product: { type: 'string' },
    serial: { type: 'string' },
    mode: { type: 'string', default: 'usbfs' },
    claim: { type: 'string', default: 'bench' },
    release: { type: 'string' },
  },
});

const tree = hostTree();
const news = new KernelNews();
const uevents = netlinkUevents(openUeventSocket);
uevents.start({ onEvent: (event) => news.take(event), onGap: () => news.gap() });

const importer = new Importer({
  tree,
  vhci: new Vhci(tree),
  readDevice: (busId) => readUsbDevice(tree, busId),
  fingerprint,
  setSocketOptions,
  withPortLock: (work) => withFileLock('/run/usbip-import.lock', 10_000, work),
  news,
  log: createLog('usbip-import', 'warn'),
});

if (values.release !== undefined) await importer.release(JSON.parse(values.release) as ImportAttachment);
else console.log(JSON.stringify(await attach()));
uevents.close();

async function attach() {
  const start = performance.now();
  const busId = required('bus-id');
  let attachment: Attachment | undefined;
  const usable = await importer.attach(
    {
      claim: { namespace: 'lab', name: values.claim, uid: values.claim },
      device: busId,
      pool: required('host'),
      busId,
      vendorId: Number.parseInt(required('vendor'), 16),
      productId: Number.parseInt(required('product'), 16),
      ...(values.serial !== undefined && { serial: values.serial }),
      peer: { host: required('host'), port: Number(values.port) },
    },
    values.mode === 'driver' ? 'driver' : 'usbfs',
    async (recorded) => {
      attachment = recorded;
    },
    AbortSignal.timeout(45_000),
  );
  return { attachment, usable, milliseconds: Math.round(performance.now() - start) };
}

function required(name: 'host' | 'bus-id' | 'vendor' | 'product'): string {
  const value = values[name];
  if (value === undefined) throw new TypedError('USAGE', `--${name} is missing`);
  return value;
}
