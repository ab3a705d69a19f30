// Makes a device of another node usable on this one: over USB/IP, through a port of vhci.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { AccessMode, Attachment, DeviceTarget, UsableDevice } from '../dra/device-access.ts';
import type { Log } from '../run/log.ts';
import { StepTimes } from '../run/step-times.ts';
import { refuseBootHid } from '../usb/boot-hid.ts';
import { isConfigured } from '../usb/configured.ts';
import type { UsbDevice } from '../usb/device.ts';
import { authorizeInterfaces, bindInterfaces } from '../usb/interface-access.ts';
import type { News } from '../usb/kernel-news.ts';
import { SETTLE_LIMITS, type SettleLimits, settledDevice } from '../usb/settled-device.ts';
import type { SysfsTree } from '../usb/sysfs-tree.ts';
import { expectModel, expectTarget } from '../usb/target-match.ts';
import { usableDevice } from '../usb/usable-device.ts';
import type { DeviceRecord } from './device-record.ts';
import { type GrantedDevice, type PeerAddress, type RequestLimits, requestImport } from './import-request.ts';
import { errnoOf } from './kernel-errno.ts';
import { pollUntil } from './polling.ts';
import { type PortHolder, portHolder } from './port-holder.ts';
import { takeDescriptor } from './socket-descriptor.ts';
import { LIVENESS, type SetSocketOptions } from './socket-options.ts';
import type { Vhci } from './vhci.ts';
import { choosePort } from './vhci-port.ts';
import { PORT_STATE } from './vhci-status.ts';

export type ImportAttachment = Extract<Attachment, { kind: 'import' }>;
export type RemoteTarget = DeviceTarget & { readonly peer: PeerAddress };

/** Milliseconds. */
export interface ImportLimits extends RequestLimits {
  readonly interval: number;
  /** Between two looks for a device that the kernel is expected to tell of. */
  readonly look: number;
  /** From attach until the device is configured and has its usbfs node. */
  readonly appear: number;
  /** Until a port without an address, which does not say whose it is, is taken for ours. */
  readonly tell: number;
  /** Until the kernel has let go of a port. */
  readonly free: number;
  readonly settle: SettleLimits;
}

export const IMPORT_LIMITS: ImportLimits = {
  connect: 5000,
  reply: 10_000,
  interval: 15,
  look: 50,
  appear: 10_000,
  tell: 5000,
  free: 10_000,
  settle: SETTLE_LIMITS,
};

export interface ImporterOptions {
  readonly tree: SysfsTree;
  readonly vhci: Vhci;
  readonly readDevice: (busId: string) => UsbDevice | undefined;
  /** `sha256:` + hex, as the owner publishes it. */
  readonly fingerprint: (device: UsbDevice) => string;
  readonly setSocketOptions: SetSocketOptions;
  /** Runs while no other process of this node chooses a port (flock). */
  readonly withPortLock: <T>(work: () => Promise<T>) => Promise<T>;
  readonly news: News;
  readonly log: Log;
  readonly limits?: ImportLimits;
}

export class Importer {
  readonly #options: Required<ImporterOptions>;
  /** Claim of each port that this process attached: two imports of one device can look the same in the status. */
  readonly #holders = new Map<number, string>();

  constructor(options: ImporterOptions) {
    this.#options = { limits: IMPORT_LIMITS, ...options };
  }

  /** See DeviceAccess. Also rejects with PROTOCOL when the peer speaks something else than USB/IP. */
  async attach(
    target: RemoteTarget,
    mode: AccessMode,
    record: (attachment: ImportAttachment) => Promise<void>,
    signal: AbortSignal,
  ): Promise<UsableDevice> {
    const { vhci, limits, log } = this.#options;
    // While the owner works; looked at when there is a connection to give up.
    const isolated = vhci.isolate();
    isolated.catch(() => undefined);
    const granted = await StepTimes.time('request', () =>
      requestImport(target.peer, target.busId, limits, signal),
    );
    let attachment: ImportAttachment;
    try {
      expectModel(granted.device, target);
      await isolated;
      attachment = await StepTimes.time('plug in', () => this.#plugIn(granted, target, mode, record));
    } finally {
      // Without the kernel's reference this ends the connection, and the owner has its device back.
      granted.socket.destroy();
    }
    try {
      return usableDevice(await this.#setUp(attachment, target, mode, signal), mode);
    } catch (error) {
      const cause = this.#isLost(attachment, error) ? lost(attachment, error) : error;
      await this.release(attachment).catch((err: unknown) =>
        log.error({ attachment, err }, 'import was not undone'),
      );
      throw cause;
    }
  }

  inspect(attachment: ImportAttachment, mode: AccessMode): UsableDevice | undefined {
    const device = this.#device(attachment);
    return device && isConfigured(this.#options.tree, device) ? usableDevice(device, mode) : undefined;
  }

  /** The import that a device of this node is, for a claim whose record is lost: by the port alone. */
  find({ busId }: UsbDevice): ImportAttachment | undefined {
    const found = this.#options.vhci.ports().find(({ localBusId }) => localBusId === busId);
    if (!found) return undefined;
    const { port, devid } = found;
    return { kind: 'import', mode: 'usbfs', port, devid, peer: 'unknown', remoteBusId: 'unknown' };
  }

  /** Frees the port while it still holds this import. TIMED_OUT when the kernel does not let go; try again then. */
  async release(attachment: ImportAttachment): Promise<void> {
    const { vhci, limits, tree } = this.#options;
    if (!(await this.#mayHold(attachment))) return;
    const busId = vhci.port(attachment.port)?.localBusId;
    await vhci.detach(attachment.port).catch((error: unknown) => {
      // EINVAL: freed meanwhile. EAGAIN: its controller is gone.
      if (errnoOf(error) !== 'EINVAL' && errnoOf(error) !== 'EAGAIN') throw error;
    });
    const { interval, free: timeout } = limits;
    const freed = await pollUntil(() => this.#holder(attachment) === 'other' || undefined, {
      interval,
      timeout,
    });
    if (!freed)
      throw new TypedError('TIMED_OUT', `vhci port ${attachment.port} is not free after ${timeout} ms`);
    this.#forget(attachment);
    // The hub removes the device a little later; until then it could be taken for one that is plugged in.
    if (busId)
      await pollUntil(() => !tree.exists(`/sys/bus/usb/devices/${busId}`) || undefined, {
        interval,
        timeout,
      });
  }

  async #plugIn(
    { device, socket }: GrantedDevice,
    target: RemoteTarget,
    mode: AccessMode,
    record: (attachment: ImportAttachment) => Promise<void>,
  ): Promise<ImportAttachment> {
    const { vhci, setSocketOptions, withPortLock, log } = this.#options;
    const descriptor = takeDescriptor(socket);
    setSocketOptions(descriptor, LIVENESS);
    return withPortLock(async () => {
      const taken = new Set<number>();
      for (;;) {
        const port = choosePort(vhci.ports(), device.speed, taken);
        const attachment = attachmentOf(device, port, target, mode);
        await record(attachment);
        try {
          await vhci.attach(port, descriptor, attachment.devid, device.speed);
          this.#holders.set(port, target.claim.uid);
          log.info({ port, busId: target.busId, pool: target.pool, claim: target.claim }, 'device imported');
          return attachment;
        } catch (error) {
          // Someone who does not know our lock, such as the usbip tool, was faster.
          if (errnoOf(error) !== 'EBUSY' && vhci.port(port)?.state === PORT_STATE.free) throw error;
          taken.add(port);
        }
      }
    });
  }

  async #setUp(
    attachment: ImportAttachment,
    target: RemoteTarget,
    mode: AccessMode,
    signal: AbortSignal,
  ): Promise<UsbDevice> {
    const { tree, fingerprint, limits, news } = this.#options;
    const device = await StepTimes.time('enumerate', () => this.#appeared(attachment, signal));
    expectTarget(device, fingerprint(device), target);
    if (mode === 'usbfs') {
      await authorizeInterfaces(tree, device);
      return device;
    }
    refuseBootHid(device);
    await StepTimes.time('bind', () => bindInterfaces(tree, device));
    return StepTimes.time('settle', () =>
      settledDevice(tree, () => this.#present(attachment), limits.settle, news, signal),
    );
  }

  /** The device with its interfaces and usbfs node, once the kernel has enumerated it. */
  async #appeared(attachment: ImportAttachment, signal: AbortSignal): Promise<UsbDevice> {
    const { tree, limits, news } = this.#options;
    const look = () => {
      if (this.#holder(attachment) === 'other') throw lost(attachment);
      if (!this.#hasInterfaces(attachment)) return undefined;
      const device = this.#device(attachment);
      return device && isConfigured(tree, device) && tree.exists(device.node.path) ? device : undefined;
    };
    const { appear: timeout } = limits;
    const device = await pollUntil(look, { interval: limits.look, timeout, pause: news.pause }, signal);
    if (device) return device;
    const what = `${attachment.remoteBusId} of ${attachment.peer}`;
    throw new TypedError('TIMED_OUT', `the kernel has not enumerated ${what} within ${timeout} ms`);
  }

  /** Most attributes of a device are read under a lock that the kernel has until its configuration is set. */
  #hasInterfaces({ port }: ImportAttachment): boolean {
    const { tree, vhci } = this.#options;
    const busId = vhci.port(port)?.localBusId;
    const folder = tree.resolve(`/sys/bus/usb/devices/${busId}`);
    return folder !== undefined && tree.list(folder).some((name) => name.startsWith(`${busId}:`));
  }

  #present(attachment: ImportAttachment): UsbDevice {
    const device = this.#device(attachment);
    if (device) return device;
    throw lost(attachment);
  }

  #device(attachment: ImportAttachment): UsbDevice | undefined {
    const { vhci, readDevice } = this.#options;
    if (this.#holder(attachment) !== 'ours') return undefined;
    const busId = vhci.port(attachment.port)?.localBusId;
    return busId === undefined ? undefined : readDevice(busId);
  }

  #isLost(attachment: ImportAttachment, error: unknown): boolean {
    return error instanceof TypedError && error.code === 'KERNEL' && this.#holder(attachment) === 'other';
  }

  /** Whether to detach: waits while the port does not tell yet which device it has. */
  async #mayHold(attachment: ImportAttachment): Promise<boolean> {
    const { vhci, limits } = this.#options;
    const claim = this.#holders.get(attachment.port);
    const known = claim !== undefined && claim === attachment.claim;
    const told = () => known || vhci.port(attachment.port)?.state !== PORT_STATE.notAssigned || undefined;
    await pollUntil(told, { interval: limits.interval, timeout: limits.tell });
    return this.#holder(attachment) !== 'other';
  }

  #holder(attachment: ImportAttachment): PortHolder {
    const { port } = attachment;
    return portHolder(this.#options.vhci.port(port), attachment, this.#holders.get(port));
  }

  #forget({ port, claim }: ImportAttachment): void {
    if (this.#holders.get(port) === claim) this.#holders.delete(port);
  }
}

function attachmentOf(
  device: DeviceRecord,
  port: number,
  target: RemoteTarget,
  mode: AccessMode,
): ImportAttachment {
  return {
    kind: 'import',
    mode,
    port,
    devid: ((device.busNumber << 16) | device.deviceNumber) >>> 0,
    peer: target.peer.host,
    remoteBusId: target.busId,
    claim: target.claim.uid,
  };
}

function lost({ remoteBusId, peer }: ImportAttachment, cause?: unknown): TypedError {
  const message = `the connection to ${peer} ended while ${remoteBusId} was being set up`;
  return new TypedError('PEER_UNREACHABLE', message, 'Was the device unplugged, or the network cut?', {
    cause,
  });
}
