// Wakes those who wait for the kernel to finish with a device, and tells which disks have all their partitions.
import type { Uevent } from '../netlink/uevent.ts';
import type { Pause } from '../usbip/polling.ts';
import { isDriverNodeEvent } from './driver-node-event.ts';

/** Milliseconds after which a disk that was there before its events could be seen is taken for complete. */
const GRACE = 100;

/** The port to what is known from uevents alone. */
export interface News {
  /** Ends early when the kernel has finished something; what was waited for has to be looked at again. */
  readonly pause: Pause;
  /**
   * Whether the kernel has announced a disk or partition. It does so after it has read the partition table, while the
   * device node of the disk is there before (device_add_disk, block/genhd.c).
   */
  isAnnounced(blockDevice: string): boolean;
}

export class KernelNews implements News {
  readonly #now: () => number;
  readonly #waiting = new Set<() => void>();
  /** Time from which on it counts as announced, by name. */
  readonly #announced = new Map<string, number>();
  #unknown = true;

  /** `now` in milliseconds, on any clock that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  take(event: Uevent): void {
    const { action, env } = event;
    const { SUBSYSTEM, DEVTYPE, DEVNAME } = env;
    if (SUBSYSTEM === 'block' && DEVNAME !== undefined) {
      if (action === 'add') this.#announced.set(DEVNAME, this.#now());
      if (action === 'remove') this.#announced.delete(DEVNAME);
    }
    // `bind` of a device comes when its configuration is set and all its interfaces are there.
    const ready = SUBSYSTEM === 'usb' && DEVTYPE !== 'usb_interface' && action !== 'add';
    if (ready || isDriverNodeEvent(event)) this.#wake();
  }

  /** Events were lost: what was announced is not known until the block devices of the node are told anew. */
  gap(): void {
    this.#announced.clear();
    this.#unknown = true;
    this.#wake();
  }

  /** The block devices that a scan has found; of interest at the start and after a gap. */
  sighted(blockDevices: readonly string[]): void {
    if (!this.#unknown) return;
    this.#unknown = false;
    for (const name of blockDevices) {
      if (!this.#announced.has(name)) this.#announced.set(name, this.#now() + GRACE);
    }
  }

  isAnnounced(blockDevice: string): boolean {
    return (this.#announced.get(blockDevice) ?? Number.POSITIVE_INFINITY) <= this.#now();
  }

  readonly pause: Pause = (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#waiting.add(end);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
    });

  #wake(): void {
    for (const end of [...this.#waiting]) end();
  }
}
