// Waits until drivers have made the device nodes that they are going to make.
import { TypedError } from '../../proto/api/typed-error.ts';
import { pollUntil } from '../usbip/polling.ts';
import type { UsbDevice } from './device.ts';
import { deviceNodes } from './device-nodes.ts';
import { type MissingFunction, missingFunctions } from './expected-functions.ts';
import type { News } from './kernel-news.ts';
import type { SysfsTree } from './sysfs-tree.ts';

/** Milliseconds. */
export interface SettleLimits {
  readonly interval: number;
  /** A disk that the kernel has not announced is settled when no partition has come for this long. */
  readonly quiet: number;
  /** For nodes that may never come: no driver, or a kernel without that kind of node. */
  readonly possible: number;
  /** For nodes that are sure to come: usb-storage alone waits a second before it looks for disks (delay_use). */
  readonly certain: number;
}

export const SETTLE_LIMITS: SettleLimits = { interval: 50, quiet: 100, possible: 2000, certain: 15_000 };

/**
 * The device with its device nodes. `read` throws when the device is gone. TIMED_OUT, saying what is missing, when a
 * bound driver has made none of its nodes.
 */
export async function settledDevice(
  tree: SysfsTree,
  read: () => UsbDevice,
  limits: SettleLimits,
  news: News,
  signal: AbortSignal,
): Promise<UsbDevice> {
  const start = performance.now();
  let missing: string[] = [];
  let seen = '';
  let since = start;
  const look = () => {
    const device = read();
    const now = performance.now();
    const inTime = now - start < limits.possible;
    missing = [
      ...missingFunctions(device)
        .filter(({ certain }) => certain || inTime)
        .map(describe),
    ];
    const paths = deviceNodes(device, 'driver').map(({ path }) => path);
    missing.push(...paths.filter((path) => !tree.exists(path)));
    if (paths.join() !== seen) since = now;
    seen = paths.join();
    if (missing.length > 0) return undefined;
    const disks = blockNames(device);
    return disks.every((name) => news.isAnnounced(name)) || now - since >= limits.quiet ? device : undefined;
  };
  const { interval, certain: timeout } = limits;
  const device = await pollUntil(look, { interval, timeout, pause: news.pause }, signal);
  if (device) return device;
  throw new TypedError(
    'TIMED_OUT',
    `after ${limits.certain} ms there is still no ${missing.join(', no ')}`,
    "The node's kernel log says what its driver did.",
  );
}

/** Disks and partitions as the kernel's events name them: below /dev. */
function blockNames({ functions }: UsbDevice): string[] {
  return functions.filter(({ kind }) => kind === 'block').map(({ name }) => name);
}

function describe({ interface: name, kind }: MissingFunction): string {
  return `${kind} node of ${name}`;
}
