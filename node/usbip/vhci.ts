// The virtual USB controllers of this node: their ports, attach, detach, and isolation from host drivers.
import { TypedError } from '../../proto/api/typed-error.ts';
import { isImportedPath } from '../usb/imported-path.ts';
import type { SysfsTree } from '../usb/sysfs-tree.ts';
import { attachSpeed } from './attach-speed.ts';
import { parseVhciStatus, type VhciPort } from './vhci-status.ts';

/** All controllers answer through the files of the first. Kernels to come make it a faux device. */
const PLATFORM = '/sys/devices/platform/vhci_hcd.0';
const FAUX = '/sys/devices/faux/vhci_hcd.0';
const USB_DEVICES = '/sys/bus/usb/devices';

export class Vhci {
  readonly #tree: SysfsTree;

  constructor(tree: SysfsTree) {
    this.#tree = tree;
  }

  /** Every port of every controller; empty while the module is not loaded. */
  ports(): VhciPort[] {
    const folder = this.#folder();
    return this.#tree
      .list(folder)
      .filter((name) => /^status(\.\d+)?$/.test(name))
      .flatMap((name) => parseVhciStatus(this.#tree.readText(`${folder}/${name}`) ?? ''))
      .sort((a, b) => a.port - b.port);
  }

  port(number: number): VhciPort | undefined {
    return this.ports().find(({ port }) => port === number);
  }

  /**
   * Plugs the device at the other end of a connected socket into a free port. The descriptor must be one of this
   * process. KERNEL with EBUSY when the port is used; with EINVAL when the kernel refuses speed or socket.
   */
  attach(port: number, descriptor: number, devid: number, speed: number): Promise<void> {
    const release = this.#tree.readText('/proc/sys/kernel/osrelease') ?? '';
    const line = `${port} ${descriptor} ${devid} ${attachSpeed(speed, release)}`;
    return this.#tree.write(`${this.#folder()}/attach`, line);
  }

  /** Ends the connection of a port; the kernel works on it after the call. KERNEL with EINVAL when it is free. */
  detach(port: number): Promise<void> {
    return this.#tree.write(`${this.#folder()}/detach`, String(port));
  }

  /**
   * From now on no host driver binds to what is plugged into these controllers, until an interface is authorised
   * (drivers/usb/core/driver.c, usb_probe_interface). The kernel keeps the setting in each root hub.
   */
  async isolate(): Promise<void> {
    for (const hub of this.#rootHubs()) {
      const file = `${USB_DEVICES}/${hub}/interface_authorized_default`;
      const value = this.#tree.readText(file)?.trim();
      if (value === undefined) {
        throw new TypedError('KERNEL', `${file} is missing`, 'Imports need Linux 4.4 or newer.');
      }
      if (value !== '0') await this.#tree.write(file, '0');
    }
  }

  #rootHubs(): string[] {
    return this.#tree
      .list(USB_DEVICES)
      .filter((name) => /^usb\d+$/.test(name))
      .filter((name) => isImportedPath(this.#tree.resolve(`${USB_DEVICES}/${name}`) ?? ''));
  }

  #folder(): string {
    return this.#tree.exists(FAUX) ? FAUX : PLATFORM;
  }
}
