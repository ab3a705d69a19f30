// Makes a device usable that is plugged into this node, and gives it back to the node's drivers.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { AccessMode, Attachment, DeviceTarget, UsableDevice } from '../dra/device-access.ts';
import type { KeyedLock } from '../run/keyed-lock.ts';
import type { Log } from '../run/log.ts';
import { StepTimes } from '../run/step-times.ts';
import { pollUntil } from '../usbip/polling.ts';
import { STUB_STATE, type Stub } from '../usbip/stub.ts';
import { refuseBootHid } from './boot-hid.ts';
import { isConfigured } from './configured.ts';
import type { UsbDevice } from './device.ts';
import { bindInterfaces, unbindInterfaces } from './interface-access.ts';
import type { News } from './kernel-news.ts';
import { SETTLE_LIMITS, type SettleLimits, settledDevice } from './settled-device.ts';
import type { SysfsTree } from './sysfs-tree.ts';
import { expectTarget } from './target-match.ts';
import { usableDevice } from './usable-device.ts';

export type LocalAttachment = Extract<Attachment, { kind: 'local' }>;

export interface LocalAccessOptions {
  readonly tree: SysfsTree;
  readonly stub: Stub;
  /** Shared with all that takes devices of this node. */
  readonly lock: KeyedLock;
  readonly readDevice: (busId: string) => UsbDevice | undefined;
  /** `sha256:` + hex, as the owner publishes it. */
  readonly fingerprint: (device: UsbDevice) => string;
  /** What the node itself uses the device for (a mounted disk, a network card that is up), as a sentence. */
  readonly inUse: (device: UsbDevice) => string | undefined;
  readonly news: News;
  readonly log: Log;
  readonly settle?: SettleLimits;
}

/** Milliseconds until a device that usbip-host had is configured again. */
const CONFIGURED = { interval: 15, timeout: 2000 };

export class LocalAccess {
  readonly #options: Required<LocalAccessOptions>;

  constructor(options: LocalAccessOptions) {
    this.#options = { settle: SETTLE_LIMITS, ...options };
  }

  /** See DeviceAccess. DEVICE_BUSY also when the node itself uses the device. */
  attach(
    target: DeviceTarget,
    mode: AccessMode,
    record: (attachment: LocalAttachment) => Promise<void>,
    signal: AbortSignal,
  ): Promise<UsableDevice> {
    return this.#options.lock.run(target.busId, () => this.#attach(target, mode, record, signal));
  }

  async #attach(
    target: DeviceTarget,
    mode: AccessMode,
    record: (attachment: LocalAttachment) => Promise<void>,
    signal: AbortSignal,
  ): Promise<UsableDevice> {
    const { fingerprint, inUse, log } = this.#options;
    const { busId } = target;
    const device = await StepTimes.time('own', () => this.#ownDevice(busId, signal));
    expectTarget(device, fingerprint(device), target);
    const use = inUse(device);
    if (use !== undefined) throw new TypedError('DEVICE_BUSY', `${busId} is used by this node: ${use}`);
    if (mode === 'driver') refuseBootHid(device);
    const attachment: LocalAttachment = { kind: 'local', mode, busId, devid: devidOf(device) };
    await record(attachment);
    try {
      return usableDevice(await this.#setUp(device, mode, signal), mode);
    } catch (error) {
      await this.release(attachment).catch((err: unknown) =>
        log.error({ busId, err }, 'access was not undone'),
      );
      throw error;
    }
  }

  inspect(attachment: LocalAttachment, mode: AccessMode): UsableDevice | undefined {
    const device = this.#attached(attachment);
    return device && usableDevice(device, mode);
  }

  /** Lets the native drivers bind again; not those of a device that came into the port since, which another may hold. */
  async release(attachment: LocalAttachment): Promise<void> {
    const { tree, readDevice } = this.#options;
    const { busId } = attachment;
    const device = this.#attached(attachment);
    if (!device) return;
    await bindInterfaces(tree, device).catch((error: unknown) => {
      // Unplugged meanwhile, or another device by now: nothing is left to give back.
      if (readDevice(busId)?.deviceNumber === device.deviceNumber) throw error;
    });
  }

  #attached({ busId, devid }: LocalAttachment): UsbDevice | undefined {
    const device = this.#options.readDevice(busId);
    return device && devidOf(device) === devid && !this.#options.stub.isBound(busId) ? device : undefined;
  }

  /** The device under its native driver; an export that has ended but was not cleaned up is. */
  async #ownDevice(busId: string, signal: AbortSignal): Promise<UsbDevice> {
    const { stub, tree } = this.#options;
    if (stub.state(busId) === STUB_STATE.used) {
      throw new TypedError('DEVICE_BUSY', `${busId} is exported to another node`);
    }
    if (!stub.isBound(busId)) return this.#read(busId);
    await stub.unbind(busId);
    await pollUntil(() => isConfigured(tree, this.#read(busId)) || undefined, CONFIGURED, signal);
    return this.#read(busId);
  }

  async #setUp(device: UsbDevice, mode: AccessMode, signal: AbortSignal): Promise<UsbDevice> {
    const { tree, settle, news } = this.#options;
    if (mode === 'usbfs') {
      await unbindInterfaces(tree, device);
      return this.#read(device.busId);
    }
    await StepTimes.time('bind', () => bindInterfaces(tree, device));
    return StepTimes.time('settle', () =>
      settledDevice(tree, () => this.#read(device.busId), settle, news, signal),
    );
  }

  #read(busId: string): UsbDevice {
    const device = this.#options.readDevice(busId);
    if (device) return device;
    throw new TypedError('DEVICE_NOT_FOUND', `this node has no device ${busId}`, 'Is it still plugged in?');
  }
}

/** Device numbers of a bus go up with every plugging (choose_devnum, drivers/usb/core/hub.c). */
export function devidOf({ busNumber, deviceNumber }: Pick<UsbDevice, 'busNumber' | 'deviceNumber'>): number {
  return (busNumber << 16) | deviceNumber;
}
