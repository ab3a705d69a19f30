// Exports one device to whoever asks, for interoperability tests and benches in lab nodes:
// node test/support/usbip-export.ts --bus-id 2-1 --port 3240
import { parseArgs } from 'node:util';
import { Foreground } from '../../node/run/foreground.ts';
import { KeyedLock } from '../../node/run/keyed-lock.ts';
import { createLog } from '../../node/run/log.ts';
import { setSocketOptions } from '../../node/sys/socket-options.ts';
import { hostTree } from '../../node/usb/host-tree.ts';
import { readUsbDevice } from '../../node/usb/read-device.ts';
import { ExportTable } from '../../node/usbip/export-table.ts';
import { Exporter } from '../../node/usbip/exporter.ts';
import { Stub } from '../../node/usbip/stub.ts';
import { TypedError } from '../../proto/api/typed-error.ts';

const { values } = parseArgs({
  options: {
    'bus-id': { type: 'string' },
    port: { type: 'string', default: '3240' },
    address: { type: 'string' },
    'host-root': { type: 'string', default: '/' },
  },
});
const busId = values['bus-id'];
if (!busId) throw new TypedError('USAGE', '--bus-id is missing', 'e.g. --bus-id 2-1');

const log = createLog('usbip-export', 'info');
const tree = hostTree(values['host-root']);
const readDevice = (id: string) => readUsbDevice(tree, id);
const table = new ExportTable({
  stub: new Stub(tree),
  lock: new KeyedLock(),
  readDevice,
  inUse: () => undefined,
  log,
  onChange: () => log.info({ exports: table.list() }, 'exports'),
});
const exporter = new Exporter({
  ...(values.address !== undefined && { address: values.address }),
  port: Number(values.port),
  maxConnections: 100,
  table,
  grants: {
    check: async (asked) => {
      if (asked !== busId) throw new TypedError('NOT_GRANTED', `only ${busId} is exported`);
      return { device: asked };
    },
    assertFree: async () => undefined,
    list: async () => [busId],
  },
  readDevice,
  setSocketOptions,
  foreground: new Foreground(),
  log,
});
table.adopt();
console.log(`listening on ${await exporter.listen()}`);

const end = async () => {
  await exporter.close();
  table.stop();
};
process.once('SIGTERM', end);
process.once('SIGINT', end);
