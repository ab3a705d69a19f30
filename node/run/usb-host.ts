// The host side of the USB agent: the kernel's files, the drivers of usbip, and access to devices through them.
import { join } from 'node:path';
import { DRIVER } from '../../proto/api/names.ts';
import type { DeviceAccess } from '../dra/device-access.ts';
import { withFileLock } from '../sys/file-lock.ts';
import { setSocketOptions } from '../sys/socket-options.ts';
import type { UsbDevice } from '../usb/device.ts';
import { deviceWithNode } from '../usb/device-with-node.ts';
import type { SeenDevice } from '../usb/discovery.ts';
import { fingerprint } from '../usb/fingerprint.ts';
import { hostTree } from '../usb/host-tree.ts';
import { KernelNews } from '../usb/kernel-news.ts';
import { LocalAccess } from '../usb/local-access.ts';
import { nodeUse, readUseTables } from '../usb/node-use.ts';
import { readUsbDevice } from '../usb/read-device.ts';
import type { SysfsTree } from '../usb/sysfs-tree.ts';
import { useSentence } from '../usb/use-sentence.ts';
import { hostDeviceAccess } from '../usbip/device-access.ts';
import { ExportTable } from '../usbip/export-table.ts';
import { Importer } from '../usbip/importer.ts';
import { Stub } from '../usbip/stub.ts';
import { Vhci } from '../usbip/vhci.ts';
import { KeyedLock } from './keyed-lock.ts';
import type { Log } from './log.ts';
import type { UsbAgentOptions } from './usb-agent-options.ts';

/** Milliseconds that another instance on this node may hold the lock while it chooses a vhci port. */
const PORT_LOCK = 5_000;

export interface UsbHost {
  readonly tree: SysfsTree;
  readonly vhci: Vhci;
  readonly access: DeviceAccess;
  readonly news: KernelNews;
  readonly exports: ExportTable;
  readonly readDevice: (busId: string) => UsbDevice | undefined;
  /** A device and what the node does with it, read now. */
  readonly see: (busId: string) => SeenDevice | undefined;
  readonly setSocketOptions: typeof setSocketOptions;
}

/** Folder of everything that the agent remembers. */
export function stateFolder({ pluginsDir }: Pick<UsbAgentOptions, 'pluginsDir'>): string {
  return join(pluginsDir, DRIVER);
}

/** `onExports` is called when an export has begun or ended. */
export function openUsbHost(options: UsbAgentOptions, log: Log, onExports: () => void): UsbHost {
  const tree = hostTree(options.hostRoot);
  const vhci = new Vhci(tree);
  const stub = new Stub(tree);
  const deviceLock = new KeyedLock();
  const news = new KernelNews();
  const readDevice = (busId: string) => readUsbDevice(tree, busId);
  const inUse = (device: UsbDevice) => useSentence(nodeUse(tree, device, readUseTables(tree)));
  const local = new LocalAccess({ tree, stub, lock: deviceLock, readDevice, fingerprint, inUse, news, log });
  const lock = join(stateFolder(options), 'port.lock');
  const importer = new Importer({
    tree,
    vhci,
    readDevice,
    fingerprint,
    setSocketOptions,
    withPortLock: (work) => withFileLock(lock, PORT_LOCK, work),
    news,
    log,
  });
  return {
    tree,
    vhci,
    news,
    access: hostDeviceAccess(local, importer, options.allowPlainPeers ? 'allowed' : 'refused', (usbfsNode) =>
      deviceWithNode(tree, usbfsNode),
    ),
    exports: new ExportTable({ stub, lock: deviceLock, readDevice, inUse, log, onChange: onExports }),
    readDevice,
    see: (busId) => {
      const device = readDevice(busId);
      return device && { device, use: nodeUse(tree, device, readUseTables(tree)) };
    },
    setSocketOptions,
  };
}
