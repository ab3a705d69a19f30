// The devices of this node that others hold: from hand-over to the day the connection ends and the driver returns.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KeyedLock } from '../run/keyed-lock.ts';
import type { Log } from '../run/log.ts';
import { StepTimes } from '../run/step-times.ts';
import type { UsbDevice } from '../usb/device.ts';
import type { DeviceRecord } from './device-record.ts';
import { exportedRecord } from './exported-record.ts';
import type { Grant, Peer } from './grants.ts';
import { STUB_STATE, type Stub } from './stub.ts';

export interface ActiveExport {
  readonly busId: string;
  /** Both absent for an export that was found: the kernel does not tell who is at the other end. */
  readonly peer?: Peer;
  readonly grant?: Grant;
  /** Milliseconds of the epoch: hand-over, or when it was found. */
  readonly since: number;
}

/** To whom a device goes, and how. */
export interface HandOver {
  readonly peer: Peer;
  readonly grant: Grant;
  /** Rejects when this node has the device; asked once nothing else can take it. */
  readonly assertFree: () => Promise<void>;
  /** The descriptor of the connection, asked for at the last moment. */
  readonly connection: () => number;
}

interface Entry extends ActiveExport {
  /** `performance.now()` before which its end is not looked at. */
  notBefore: number;
  failures: number;
}

export interface ExportTableOptions {
  readonly stub: Stub;
  /** Shared with all that takes devices of this node. */
  readonly lock: KeyedLock;
  readonly readDevice: (busId: string) => UsbDevice | undefined;
  /** What the node itself uses the device for (a mounted disk, a network card that is up), as a sentence. */
  readonly inUse: (device: UsbDevice) => string | undefined;
  readonly log: Log;
  /** An export has begun or ended. */
  readonly onChange: () => void;
  /** Milliseconds between two looks at the kernel, which sends no event for the end of a connection. */
  readonly interval?: number;
  /** Milliseconds that a found, idle device is left alone: another instance may be about to hand it over. */
  readonly grace?: number;
}

const LONGEST_RETRY = 10_000;

export class ExportTable {
  readonly #options: Required<ExportTableOptions>;
  readonly #entries = new Map<string, Entry>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #stopped = false;

  constructor(options: ExportTableOptions) {
    this.#options = { interval: 200, grace: 1000, ...options };
  }

  /** Sorted by bus id. */
  list(): readonly ActiveExport[] {
    return [...this.#entries.values()]
      .map(({ busId, peer, grant, since }) => ({
        busId,
        since,
        ...(peer && { peer }),
        ...(grant && { grant }),
      }))
      .sort((a, b) => (a.busId < b.busId ? -1 : 1));
  }

  /**
   * Takes the device from its driver and gives it the connection. Rejects with DEVICE_NOT_FOUND, DEVICE_BLOCKED (hubs,
   * imported devices), DEVICE_BUSY (held by another node, or by this one) or KERNEL; the native driver has the device
   * again then, unless another node holds it.
   */
  export(busId: string, { peer, grant, assertFree, connection }: HandOver): Promise<DeviceRecord> {
    const { stub, lock } = this.#options;
    return lock.run(busId, async () => {
      await assertFree();
      const record = await StepTimes.time('check', () => this.#exportable(busId));
      if (stub.state(busId) === STUB_STATE.error) await stub.unbind(busId);
      try {
        await StepTimes.time('bind', () => stub.bind(busId));
        await StepTimes.time('connect', () => stub.connect(busId, connection()));
      } catch (error) {
        await this.#giveBack(busId);
        throw error;
      }
      this.#add({ busId, peer, grant, since: Date.now(), notBefore: 0, failures: 0 });
      return record;
    });
  }

  /**
   * Takes over what this process did not export: of its former run, or of another instance during a rolling update.
   * Cheap enough to be called at each change of the node's devices.
   */
  adopt(): void {
    const notBefore = performance.now() + this.#options.grace;
    for (const busId of this.#options.stub.bound()) {
      if (!this.#entries.has(busId)) this.#add({ busId, since: Date.now(), notBefore, failures: 0 });
    }
  }

  /** Stops looking. The kernel keeps the connections; the next run adopts them. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #exportable(busId: string): DeviceRecord {
    const { stub, readDevice, inUse } = this.#options;
    const device = readDevice(busId);
    if (!device) throw new TypedError('DEVICE_NOT_FOUND', `this node has no device ${busId}`);
    if (device.isHub || device.imported) {
      const kind = device.isHub ? 'a hub' : 'a device of another node';
      throw new TypedError('DEVICE_BLOCKED', `${busId} is ${kind}, which usbip-host does not export`);
    }
    if (stub.state(busId) === STUB_STATE.used) {
      throw new TypedError('DEVICE_BUSY', `${busId} is exported already`);
    }
    const use = inUse(device);
    if (use !== undefined) throw new TypedError('DEVICE_BUSY', `${busId} is used by this node: ${use}`);
    return exportedRecord(device);
  }

  /** After a failed export: what happened there matters more than what happens here. */
  async #giveBack(busId: string): Promise<void> {
    const { stub, log } = this.#options;
    if (stub.state(busId) === STUB_STATE.used) return;
    await stub.unbind(busId).catch((err: unknown) => log.warn({ busId, err }, 'device was not given back'));
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.busId, entry);
    this.#options.onChange();
    this.#watch();
  }

  #watch(): void {
    if (this.#stopped || this.#looking || this.#entries.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), this.#options.interval).unref();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    await Promise.all([...this.#entries.values()].map((entry) => this.#finish(entry)));
    this.#looking = false;
    this.#watch();
  }

  /** Gives a device back whose connection has ended. */
  async #finish(entry: Entry): Promise<void> {
    const { stub, lock, log, interval } = this.#options;
    const { busId } = entry;
    if (performance.now() < entry.notBefore || stub.state(busId) === STUB_STATE.used) return;
    try {
      await lock.run(busId, async () => {
        // While this waited for the lock the device may have been exported again.
        if (this.#entries.get(busId) !== entry || stub.state(busId) === STUB_STATE.used) return;
        await stub.unbind(busId);
        this.#entries.delete(busId);
        log.info({ busId, peer: entry.peer?.address }, 'export ended, device is back with its driver');
        this.#options.onChange();
      });
    } catch (err) {
      entry.failures++;
      entry.notBefore = performance.now() + Math.min(LONGEST_RETRY, interval * 2 ** entry.failures);
      log.warn({ busId, failures: entry.failures, err }, 'device was not given back, trying again');
    }
  }
}
