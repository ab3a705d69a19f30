// usbip-host, the driver that exports a device: binding it, giving it a connection, and giving the device back.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { SysfsTree } from '../usb/sysfs-tree.ts';
import { isBusId } from './bus-id.ts';
import { errnoOf } from './kernel-errno.ts';

const USB = '/sys/bus/usb';
export const STUB_DRIVER = 'usbip-host';

/** enum usbip_device_status, the part that exports use (drivers/usb/usbip/usbip_common.h). */
export const STUB_STATE = { available: 1, used: 2, error: 3 } as const;

/** Calls for one device must not overlap: callers see to that. All writes reject with KERNEL. */
export class Stub {
  readonly #tree: SysfsTree;

  constructor(tree: SysfsTree) {
    this.#tree = tree;
  }

  /** Bus ids of the devices that usbip-host has. */
  bound(): string[] {
    return this.#tree.list(`${USB}/drivers/${STUB_DRIVER}`).filter(isBusId);
  }

  isBound(busId: string): boolean {
    return this.#driver(busId) === STUB_DRIVER;
  }

  /** One of STUB_STATE; undefined when the device is gone or not bound. */
  state(busId: string): number | undefined {
    const text = this.#tree.readText(`${USB}/devices/${busId}/usbip_status`)?.trim();
    return text ? Number(text) : undefined;
  }

  /** Takes a device from its driver for export; when that fails, the driver gets it back. */
  async bind(busId: string): Promise<void> {
    if (!this.#tree.exists(`${USB}/drivers/${STUB_DRIVER}`)) {
      throw new TypedError('KERNEL', `driver ${STUB_DRIVER} is not loaded`, 'modprobe usbip-host');
    }
    const native = this.#driver(busId);
    if (native === STUB_DRIVER) return;
    if (native) await this.#tree.write(`${USB}/drivers/${native}/unbind`, busId);
    try {
      await this.#match('add', busId);
      await this.#tree.write(`${USB}/drivers/${STUB_DRIVER}/bind`, busId);
    } catch (error) {
      await this.#probe(busId).catch(() => undefined);
      throw errnoOf(error) === 'ENOMEM' ? tableFull(error) : error;
    }
  }

  /** Gives the device back to its native driver, ending a connection; nothing to do when it is gone. */
  async unbind(busId: string): Promise<void> {
    if (this.isBound(busId)) await this.#letGo(busId);
    await this.#probe(busId);
  }

  /** Gives the connection behind a descriptor of this process to the driver. KERNEL with EINVAL unless available. */
  connect(busId: string, descriptor: number): Promise<void> {
    return this.#tree.write(`${USB}/devices/${busId}/usbip_sockfd`, String(descriptor));
  }

  /** Ends the connection; the kernel then resets the device and makes it available. EINVAL when there is none. */
  disconnect(busId: string): Promise<void> {
    return this.#tree.write(`${USB}/devices/${busId}/usbip_sockfd`, '-1');
  }

  /**
   * Only `rebind` takes an entry out of the table (stub_main.c, rebind_store): `del` marks one that is in use, which
   * then refuses every later bind, and leaves one that is not. It follows a pointer to the last device that the entry
   * had, which an unplug frees; holding the device's usbfs node prevents that. So an entry whose device was pulled out
   * has to stay, until the next device in that port is exported and let go of here. It takes nothing by itself: the
   * generic driver, registered first (usb_init), is asked before.
   */
  async #letGo(busId: string): Promise<void> {
    const device = await this.#tree.hold(this.#usbfsNode(busId)).catch(() => undefined);
    try {
      await this.#tree.write(`${USB}/drivers/${STUB_DRIVER}/unbind`, busId).catch((error: unknown) => {
        // Another instance of the agent, or an unplug, was first.
        if (this.isBound(busId)) throw error;
      });
      if (device) await this.#rebind(busId);
    } finally {
      await device?.release();
    }
  }

  /** ENODEV: another instance was first. Where no driver wants the device the entry is only marked, and `del` works. */
  async #rebind(busId: string): Promise<void> {
    await this.#tree
      .write(`${USB}/drivers/${STUB_DRIVER}/rebind`, busId)
      .catch(() => this.#match('del', busId))
      .catch(() => undefined);
  }

  /** Lets the kernel look for a driver for a device without one. */
  async #probe(busId: string): Promise<void> {
    const lacksDriver = () => this.#tree.exists(`${USB}/devices/${busId}`) && !this.#driver(busId);
    if (!lacksDriver()) return;
    await this.#tree.write(`${USB}/drivers_probe`, busId).catch((error: unknown) => {
      if (lacksDriver()) throw error;
    });
  }

  #usbfsNode(busId: string): string {
    const number = (name: string) =>
      (this.#tree.readText(`${USB}/devices/${busId}/${name}`) ?? '').trim().padStart(3, '0');
    return `/dev/bus/usb/${number('busnum')}/${number('devnum')}`;
  }

  /** Without a newline: the kernel would take it as part of the bus id. */
  #match(verb: 'add' | 'del', busId: string): Promise<void> {
    return this.#tree.write(`${USB}/drivers/${STUB_DRIVER}/match_busid`, `${verb} ${busId}`);
  }

  #driver(busId: string): string | undefined {
    return this.#tree.resolve(`${USB}/devices/${busId}/driver`)?.split('/').pop();
  }
}

/** MAX_BUSID of drivers/usb/usbip/stub_main.c. */
function tableFull(cause: unknown): TypedError {
  const message = 'this node exports 16 devices already, the most that usbip-host can';
  const hint =
    'Ports count too whose device was pulled out while exported, until the next in that port was exported.';
  return new TypedError('KERNEL', message, hint, { cause });
}
