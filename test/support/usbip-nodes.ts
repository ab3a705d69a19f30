// Two nodes for tests: `a` owns devices and exports them, `b` imports; kernels are fake, the connection is real.
import type { AccessMode, Attachment, DeviceTarget } from '../../node/dra/device-access.ts';
import { Foreground } from '../../node/run/foreground.ts';
import { KeyedLock } from '../../node/run/keyed-lock.ts';
import type { UsbDevice } from '../../node/usb/device.ts';
import { fingerprint } from '../../node/usb/fingerprint.ts';
import { KernelNews } from '../../node/usb/kernel-news.ts';
import { ExportTable } from '../../node/usbip/export-table.ts';
import { Exporter, type ExporterOptions } from '../../node/usbip/exporter.ts';
import type { Grants } from '../../node/usbip/grants.ts';
import {
  IMPORT_LIMITS,
  type ImportAttachment,
  Importer,
  type ImportLimits,
  type RemoteTarget,
} from '../../node/usbip/importer.ts';
import { pollUntil } from '../../node/usbip/polling.ts';
import type { SocketOptions } from '../../node/usbip/socket-options.ts';
import { Stub } from '../../node/usbip/stub.ts';
import { Vhci } from '../../node/usbip/vhci.ts';
import type { FakeKernelOptions } from './fake-kernel-options.ts';
import { DISK, type FakeUsbSpec } from './fake-usb-device.ts';
import { FakeUsbipKernel } from './fake-usbip-kernel.ts';
import { keptLog } from './kept-log.ts';

/** Long enough for a loaded machine; a test that waits for the end of one makes it shorter. */
export const SETTLE = { interval: 2, quiet: 10, possible: 60, certain: 5000 };
export const LIMITS: ImportLimits = {
  ...IMPORT_LIMITS,
  connect: 5000,
  reply: 5000,
  interval: 2,
  look: 3,
  appear: 5000,
  tell: 60,
  free: 5000,
  settle: SETTLE,
};

export const never = new AbortController().signal;

export const agree: Grants = {
  check: async (busId) => ({ device: `usb-${busId}` }),
  assertFree: async () => undefined,
  list: async () => [],
};

export interface OwnerOptions {
  readonly kernel?: FakeUsbipKernel;
  /** What is absent agrees. */
  readonly grants?: Partial<Grants>;
  readonly inUse?: (device: UsbDevice) => string | undefined;
  readonly exporter?: Partial<ExporterOptions>;
  readonly grace?: number;
}

/** A node that exports. */
export async function ownerNode(options: OwnerOptions = {}) {
  const kernel = options.kernel ?? new FakeUsbipKernel();
  const log = keptLog();
  const stub = new Stub(kernel.tree);
  const sockets: SocketOptions[] = [];
  let changes = 0;
  const lock = new KeyedLock();
  const table = new ExportTable({
    stub,
    lock,
    readDevice: kernel.readDevice,
    inUse: options.inUse ?? (() => undefined),
    log,
    onChange: () => changes++,
    interval: 5,
    grace: options.grace ?? 20,
  });
  const exporter = new Exporter({
    address: '127.0.0.1',
    port: 0,
    maxConnections: 100,
    table,
    grants: { ...agree, ...options.grants },
    readDevice: kernel.readDevice,
    setSocketOptions: (_, chosen) => sockets.push(chosen),
    foreground: new Foreground(),
    log,
    timeLimit: 5000,
    rate: { burst: 1000, perSecond: 1000 },
    ...options.exporter,
  });
  const port = await exporter.listen();
  return {
    kernel,
    log,
    stub,
    lock,
    table,
    exporter,
    port,
    sockets,
    changes: () => changes,
    async [Symbol.asyncDispose]() {
      table.stop();
      await exporter.close();
    },
  };
}

/** A node that imports from the owners given. */
export function importingNode(owners: readonly FakeUsbipKernel[], options: FakeKernelOptions = {}) {
  const kernel = new FakeUsbipKernel(options);
  for (const owner of owners) {
    kernel.connectTo(owner);
    owner.connectTo(kernel);
  }
  const sockets: SocketOptions[] = [];
  const log = keptLog();
  const vhci = new Vhci(kernel.tree);
  const importer = (limits: ImportLimits = LIMITS) =>
    new Importer({
      tree: kernel.tree,
      vhci,
      readDevice: kernel.readDevice,
      fingerprint,
      setSocketOptions: (_, chosen) => sockets.push(chosen),
      withPortLock: (work) => work(),
      news: new KernelNews(),
      log,
      limits,
    });
  return { kernel, vhci, sockets, log, importer };
}

/** The claim's device as its owner published it. */
export function targetOf(kernel: FakeUsbipKernel, busId: string, claim = 'uid-1'): DeviceTarget {
  const device = kernel.readDevice(busId);
  if (!device) throw new Error(`no ${busId}`);
  return {
    claim: { namespace: 'lab', name: claim, uid: claim },
    device: `usb-${busId}`,
    pool: 'a',
    busId,
    vendorId: device.vendorId,
    productId: device.productId,
    ...(device.serial !== undefined && { serial: device.serial }),
    fingerprint: fingerprint(device),
  };
}

export function remoteTarget(
  kernel: FakeUsbipKernel,
  busId: string,
  port: number,
  claim?: string,
): RemoteTarget {
  return { ...targetOf(kernel, busId, claim), peer: { host: '127.0.0.1', port } };
}

/** Keeps what is recorded. */
export function recorder() {
  const records: Attachment[] = [];
  const record = async (attachment: Attachment) => {
    records.push(attachment);
  };
  return { records, record };
}

/** The code of the error that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return String((error as { code?: string }).code ?? error);
  }
}

/** Waits up to five seconds for a change that comes from the other side. */
export function until(look: () => boolean): Promise<unknown> {
  return pollUntil(() => look() || undefined, { interval: 2, timeout: 5000 });
}

/** Node a with a device at 2-1, and node b which may import it. */
export async function twoNodes(
  spec: FakeUsbSpec = DISK,
  options: FakeKernelOptions = {},
  limits: ImportLimits = LIMITS,
) {
  const a = await ownerNode();
  a.kernel.plug('2-1', spec);
  const b = importingNode([a.kernel], options);
  const target = remoteTarget(a.kernel, '2-1', a.port);
  const importer = b.importer(limits);
  const { records, record } = recorder();
  return {
    a,
    b,
    target,
    importer,
    records,
    record,
    attach: (mode: AccessMode, signal = never) => importer.attach(target, mode, record, signal),
    attached: () => records.at(-1) as ImportAttachment,
    ports: () => b.vhci.ports().filter(({ state }) => state !== 4),
    back: () => until(() => a.table.list().length === 0),
    [Symbol.asyncDispose]: () => a[Symbol.asyncDispose](),
  };
}
