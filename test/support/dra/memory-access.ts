// A kernel in memory behind the DeviceAccess port: what is attached outlives the driver object, as in a real one.
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AccessMode,
  Attachment,
  DeviceAccess,
  DeviceTarget,
  UsableDevice,
} from '../../../node/dra/device-access.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { Fuse } from './fuse.ts';

export class MemoryKernel {
  /** Attachment as JSON -> device number. */
  readonly held = new Map<string, number>();
  /** Devices that another node holds: attach is refused. */
  readonly busy = new Set<string>();
  #nextNumber = 1;
  #nextPort = 0;

  take(attachment: Attachment): number {
    const number = this.#nextNumber++;
    this.held.set(JSON.stringify(attachment), number);
    return number;
  }

  /** Never twice the same, so that two imports cannot be mistaken for each other. */
  freePort(): number {
    return this.#nextPort++;
  }

  /** What a reset or a new enumeration does. */
  renumber(): void {
    for (const key of this.held.keys()) this.held.set(key, this.#nextNumber++);
  }
}

export class MemoryAccess implements DeviceAccess {
  readonly #kernel: MemoryKernel;
  readonly #fuse: Fuse;
  /** Devices whose peer never answers. */
  readonly silent = new Set<string>();
  /** Attachments that the kernel does not let go. */
  stuck = false;
  attachCalls = 0;

  constructor(kernel: MemoryKernel, fuse = new Fuse()) {
    this.#kernel = kernel;
    this.#fuse = fuse;
  }

  async attach(
    target: DeviceTarget,
    mode: AccessMode,
    record: (attachment: Attachment) => Promise<void>,
    signal: AbortSignal,
  ): Promise<UsableDevice> {
    this.attachCalls++;
    this.#fuse.step(`reach ${target.device}`);
    if (this.silent.has(target.device)) await sleep(60_000, undefined, { signal });
    if (this.#kernel.busy.has(target.device)) {
      throw new TypedError('DEVICE_BUSY', `device ${target.device} is in use`);
    }
    const attachment = this.#attachment(target, mode);
    await record(attachment);
    this.#fuse.step(`attach ${target.device}`);
    this.#kernel.take(attachment);
    try {
      this.#fuse.step(`wait for ${target.device}`);
    } catch (error) {
      if (!this.#fuse.isDead) this.#kernel.held.delete(JSON.stringify(attachment));
      throw error;
    }
    return this.inspect(attachment) ?? fail(attachment);
  }

  inspect(attachment: Attachment): UsableDevice | undefined {
    const number = this.#kernel.held.get(JSON.stringify(attachment));
    if (number === undefined) return undefined;
    const path = `/dev/bus/usb/009/${String(number).padStart(3, '0')}`;
    return {
      busId: '9-1',
      busNumber: 9,
      deviceNumber: number,
      nodes: [{ path, type: 'c', major: 189, minor: 1023 + number }],
    };
  }

  find(usbfsNode: string): Attachment | undefined {
    const held = [...this.#kernel.held.keys()].map((key) => JSON.parse(key) as Attachment);
    return held.find((attachment) => this.inspect(attachment)?.nodes[0]?.path === usbfsNode);
  }

  async release(attachment: Attachment): Promise<void> {
    this.#fuse.step('release');
    if (this.stuck) throw new TypedError('KERNEL', 'detach: EBUSY');
    this.#kernel.held.delete(JSON.stringify(attachment));
  }

  #attachment({ busId, peer }: DeviceTarget, mode: AccessMode): Attachment {
    if (!peer) return { kind: 'local', mode, busId, devid: 0x10002 };
    const { host, port } = peer;
    return {
      kind: 'import',
      mode,
      port: this.#kernel.freePort(),
      devid: 0x20003,
      peer: `${host}:${port}`,
      remoteBusId: busId,
    };
  }
}

function fail(attachment: Attachment): never {
  throw new TypedError('KERNEL', `lost ${JSON.stringify(attachment)}`);
}
