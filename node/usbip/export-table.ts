// The devices of this node that others hold: from hand-over to the day the connection ends and the driver returns.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { Log } from '../run/log.ts';
import type { UsbDevice } from '../usb/device.ts';
import { DeviceLock } from './device-lock.ts';
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

interface Entry extends ActiveExport {
  /** `performance.now()` before which its end is not looked at. */
  notBefore: number;
  failures: number;
}

export interface ExportTableOptions {
  readonly stub: Stub;
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
  readonly #lock = new DeviceLock();
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
   * Takes the device from its driver and gives it the connection that `connection` returns the descriptor of, at the
   * last moment. Rejects with DEVICE_NOT_FOUND, DEVICE_BLOCKED (hubs, imported devices), DEVICE_BUSY (held by another
   * node, or by this one) or KERNEL; the native driver has the device again then, unless another node holds it.
   */
  export(busId: string, peer: Peer, grant: Grant, connection: () => number): Promise<DeviceRecord> {
    return this.#lock.run(busId, async () => {
      const { stub } = this.#options;
      const record = this.#exportable(busId);
      if (stub.state(busId) === STUB_STATE.error) await stub.unbind(busId);
      try {
        await stub.bind(busId);
        await stub.connect(busId, connection());
      } catch (error) {
        await this.#giveBack(busId);
        throw error;
      }
      this.#add({ busId, peer, grant, since: Date.now(), notBefore: 0, failures: 0 });
      return record;
    });
  }

  /** Ends the export of a device, if there is one; the device is given back soon after. */
  end(busId: string): Promise<void> {
    return this.#lock.run(busId, async () => {
      const { stub } = this.#options;
      if (stub.state(busId) === STUB_STATE.used) await stub.disconnect(busId);
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
    const { stub, log, interval } = this.#options;
    const { busId } = entry;
    if (performance.now() < entry.notBefore || stub.state(busId) === STUB_STATE.used) return;
    try {
      await this.#lock.run(busId, async () => {
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
