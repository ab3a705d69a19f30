// A node's kernel for tests: USB devices, drivers, usbip-host and vhci_hcd, with their states, files and errors.
// Two of them, each the other's peer, are two nodes: a descriptor written on both sides is one connection.
import type { UsbDevice } from '../../node/usb/device.ts';
import { readUsbDevice } from '../../node/usb/read-device.ts';
import type { SysfsTree } from '../../node/usb/sysfs-tree.ts';
import { FAKE_KERNEL, type FakeKernelOptions } from './fake-kernel-options.ts';
import { Errno, FakeSysfs } from './fake-sysfs.ts';
import {
  type FakeInterface,
  type FakeUsbDevice,
  type FakeUsbSpec,
  freeNode,
  renderUsbDevice,
} from './fake-usb-device.ts';
import { type FakePort, PORT, statusRow } from './fake-vhci-port.ts';

const USB = '/sys/bus/usb';
const VHCI = '/sys/devices/platform/vhci_hcd.0';
const PCI = '/sys/devices/pci0000:00/0000:00:14.0';
const STUB = { available: 1, used: 2, error: 3 };
/** Buses of vhci: one for each hub of each controller. */
const FIRST_VHCI_BUS = 9;

export class FakeUsbipKernel {
  readonly #options: Required<FakeKernelOptions>;
  readonly sysfs = new FakeSysfs((path, text) => this.#write(path, text));
  readonly #devices = new Map<string, FakeUsbDevice>();
  readonly #ports: FakePort[] = [];
  readonly #isolated = new Set<number>();
  readonly #matches = new Map<string, Match>();
  readonly #nextDeviceNumber = new Map<number, number>();
  readonly #peers: FakeUsbipKernel[] = [];
  /** The next bind of usbip-host, or the next reset of a device, fails. */
  failNextBind = false;
  failNextReset = false;
  /** Called when a file may have changed. */
  onChange: () => void = () => undefined;
  /** Called before an attach is looked at: what another program does at that moment. */
  beforeAttach: () => void = () => undefined;

  constructor(options: FakeKernelOptions = {}) {
    this.#options = { ...FAKE_KERNEL, ...options };
    const { controllers, portsPerHub, modules } = this.#options;
    const count = modules.includes('vhci-hcd') ? controllers * 2 * portsPerHub : 0;
    for (let number = 0; number < count; number++) {
      const hub = Math.floor(number / portsPerHub) % 2 === 0 ? 'hs' : 'ss';
      this.#ports.push({ number, hub, state: PORT.free, speed: 0, devid: 0, descriptor: 0 });
    }
    this.#render();
  }

  get tree(): SysfsTree {
    return this.sysfs;
  }

  get writes(): readonly string[] {
    return this.sysfs.writes;
  }

  readonly readDevice = (busId: string): UsbDevice | undefined => readUsbDevice(this.sysfs, busId);

  /** Lets imports on this node find the devices that `peer` exports. */
  connectTo(peer: FakeUsbipKernel): void {
    this.#peers.push(peer);
  }

  plug(busId: string, spec: FakeUsbSpec): void {
    const bus = Number(busId.split('-')[0]);
    this.#enumerate(busId, bus, `${PCI}/usb${bus}`, spec);
    this.#render();
  }

  unplug(busId: string): void {
    const device = this.#device(busId);
    if (device.driver === 'usbip-host') this.#unbindDevice(device);
    this.#devices.delete(busId);
    this.#render();
  }

  /** The connection of an export breaks: its importer dies, or the network does. */
  cut(busId: string): void {
    this.#endExport(this.#device(busId));
    this.#render();
  }

  portState(number: number): number | undefined {
    return this.#ports[number]?.state;
  }

  /** What another program attached to a port. */
  occupy(number: number, devid: number, state = PORT.used): void {
    const port = this.#port(number);
    Object.assign(port, { state, devid: state === PORT.used ? devid : 0 });
    delete port.remote;
    this.#render();
  }

  vacate(number: number): void {
    this.#freePort(this.#port(number));
    this.#render();
  }

  /** Bus ids in the match_busid table. */
  matches(): string[] {
    return [...this.#matches.keys()];
  }

  #write(path: string, text: string): void {
    const [, driver, verb] = /^\/sys\/bus\/usb\/drivers\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const [, name = '', file] = /^\/sys\/bus\/usb\/devices\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    if (path === `${VHCI}/attach`) this.#attach(text);
    else if (path === `${VHCI}/detach`) this.#detach(Number(text));
    else if (path === `${USB}/drivers_probe`) this.#probe(text);
    else if (verb === 'match_busid') this.#match(text);
    else if (verb === 'rebind') this.#rebind(text);
    else if (driver && verb === 'unbind') this.#unbind(driver, text);
    else if (driver === 'usbip-host' && verb === 'bind') this.#bindStub(text);
    else if (file === 'usbip_sockfd') this.#connect(this.#device(name), Number(text));
    else if (file === 'authorized') this.#authorize(name, text);
    else if (file === 'interface_authorized_default') this.#isolate(Number(name.slice('usb'.length)), text);
    else throw new Errno('EACCES');
    this.#render();
  }

  // usbip-host

  #match(text: string): void {
    const [, verb, busId = ''] = /^(add|del) (.+)$/s.exec(text) ?? [];
    if (!verb || busId.length > 31) throw new Errno('EINVAL');
    const entry = this.#matches.get(busId);
    if (verb === 'add') {
      if (!entry && this.#matches.size >= 16) throw new Errno('ENOMEM');
      if (!entry) this.#matches.set(busId, { status: 'added' });
    } else {
      if (!entry) throw new Errno('ENODEV');
      if (entry.status === 'allocated') entry.status = 'removed';
    }
  }

  #bindStub(busId: string): void {
    const device = this.#devices.get(busId);
    if (!device || device.driver || this.failNextBind || !this.#probeStub(device)) {
      this.failNextBind = false;
      throw new Errno('ENODEV');
    }
  }

  /** stub_probe: whether usbip-host takes the device. */
  #probeStub(device: FakeUsbDevice): boolean {
    const entry = this.#matches.get(device.busId);
    if (!entry || entry.status === 'removed') return false;
    if (device.spec.deviceClass === 9 || device.hubPath.includes('vhci')) return false;
    Object.assign(entry, { status: 'allocated', device });
    device.driver = 'usbip-host';
    device.stubState = STUB.available;
    return true;
  }

  /** rebind_store, whose pointer leads to the device that the entry had last. */
  #rebind(busId: string): void {
    const entry = this.#matches.get(busId);
    if (!entry) throw new Errno('ENODEV');
    const { device } = entry;
    if (!device || !this.sysfs.held.has(usbfsPath(device)))
      throw new Error('the kernel may use freed memory');
    if (this.#devices.get(busId) === device && !device.driver) this.#bindNative(device);
    this.#matches.delete(busId);
  }

  #connect(device: FakeUsbDevice, descriptor: number): void {
    if (device.driver !== 'usbip-host') throw new Errno('ENODEV');
    if (descriptor === -1) {
      if (device.stubState !== STUB.used) throw new Errno('EINVAL');
      this.#endExport(device);
      return;
    }
    if (device.stubState !== STUB.available || !this.#options.isSocket(descriptor)) throw new Errno('EINVAL');
    device.stubState = STUB.used;
  }

  /** The stub resets the device; until that is done the status stays `used` (stub_dev.c, stub_device_reset). */
  #endExport(device: FakeUsbDevice): void {
    for (const peer of this.#peers) peer.#lose(this, device.busId);
    const reset = this.failNextReset ? STUB.error : STUB.available;
    this.failNextReset = false;
    this.#later(this.#options.resetDelay, () => {
      if (device.driver === 'usbip-host') device.stubState = reset;
    });
  }

  // vhci_hcd

  #attach(text: string): void {
    this.beforeAttach();
    const [number = -1, descriptor = -1, devid = 0, speed = 0] = text.split(' ').map(Number);
    const port = this.#port(number);
    const fastest = Number.parseFloat(this.#options.release.slice(2)) >= 12 ? 6 : 5;
    if (speed < 1 || speed > fastest || !this.#options.isSocket(descriptor)) throw new Errno('EINVAL');
    if (port.hub !== (speed >= 5 ? 'ss' : 'hs')) throw new Errno('EINVAL');
    if (port.state !== PORT.free) throw new Errno('EBUSY');
    const remote = this.#exportedAs(devid);
    Object.assign(port, { state: PORT.notAssigned, speed, devid, descriptor, ...(remote && { remote }) });
    if (!remote) return;
    this.#later(this.#options.enumerationDelay, () => {
      if (port.state !== PORT.notAssigned || port.remote !== remote) return;
      const bus = this.#busOf(port);
      const { portsPerHub } = this.#options;
      const busId = `${bus}-${(number % portsPerHub) + 1}`;
      port.state = PORT.used;
      port.device = this.#enumerate(busId, bus, this.#hubPath(bus), remote.kernel.#device(remote.busId).spec);
    });
  }

  #detach(number: number): void {
    const port = this.#port(number);
    if (port.state === PORT.free) throw new Errno('EINVAL');
    const { remote } = port;
    this.#later(1, () => this.#freePort(port));
    if (remote) remote.kernel.#endExport(remote.kernel.#device(remote.busId));
  }

  /** The peer ended the connection. */
  #lose(kernel: FakeUsbipKernel, busId: string): void {
    const port = this.#ports.find(({ remote }) => remote?.kernel === kernel && remote.busId === busId);
    if (!port) return;
    this.#freePort(port);
    this.#render();
  }

  #freePort(port: FakePort): void {
    if (port.device) this.#devices.delete(port.device.busId);
    Object.assign(port, { state: PORT.free, speed: 0, devid: 0, descriptor: 0 });
    delete port.device;
    delete port.remote;
  }

  #exportedAs(devid: number): FakePort['remote'] {
    for (const kernel of this.#peers) {
      for (const { busId, busNumber, deviceNumber, stubState, driver } of kernel.#devices.values()) {
        const same = busNumber * 0x10000 + deviceNumber === devid;
        if (same && driver === 'usbip-host' && stubState === STUB.used) return { kernel, busId };
      }
    }
    return undefined;
  }

  // usbcore

  #enumerate(busId: string, bus: number, hubPath: string, spec: FakeUsbSpec): FakeUsbDevice {
    const deviceNumber = this.#nextDeviceNumber.get(bus) ?? 2;
    this.#nextDeviceNumber.set(bus, deviceNumber + 1);
    const common = { spec, busId, hubPath, busNumber: bus, deviceNumber };
    const device: FakeUsbDevice = { ...common, interfaces: [], stubState: 0 };
    this.#devices.set(busId, device);
    this.#bindNative(device);
    return device;
  }

  /** The generic driver, asked before usbip-host, sets the configuration, which makes the interfaces. */
  #bindNative(device: FakeUsbDevice): void {
    device.driver = 'usb';
    const authorized = !this.#isolated.has(device.busNumber);
    device.interfaces = device.spec.interfaces.map((face, number) => ({
      ...face,
      number,
      authorized,
      functions: [],
    }));
    for (const face of device.interfaces) this.#bindInterface(device, face);
  }

  #unbind(driver: string, name: string): void {
    const [busId = '', number] = name.split(':1.');
    const device = this.#devices.get(busId);
    const face = number === undefined ? undefined : device?.interfaces[Number(number)];
    if (!device || (face ?? device).driver !== driver) throw new Errno('ENODEV');
    if (face) this.#unbindInterface(device, face);
    else this.#unbindDevice(device);
  }

  #unbindDevice(device: FakeUsbDevice): void {
    if (device.driver === 'usbip-host') {
      if (device.stubState === STUB.used) this.#endExport(device);
      // stub_disconnect: the entry stays, and one that was deleted meanwhile is of no more use.
      const entry = this.#matches.get(device.busId);
      if (entry?.status === 'allocated') entry.status = 'added';
    }
    device.stubState = 0;
    delete device.driver;
    device.interfaces = [];
  }

  #probe(name: string): void {
    const [busId = '', number] = name.split(':1.');
    const device = this.#devices.get(busId);
    if (!device) throw new Errno('ENODEV');
    const face = number === undefined ? undefined : device.interfaces[Number(number)];
    if (face) this.#bindInterface(device, face);
    else if (!device.driver) this.#bindNative(device);
  }

  #authorize(name: string, text: string): void {
    const [busId = '', number] = name.split(':1.');
    const device = this.#device(busId);
    const face = device.interfaces[Number(number)];
    if (!face) throw new Errno('ENODEV');
    face.authorized = text === '1';
    if (!face.authorized) this.#unbindInterface(device, face);
  }

  #bindInterface(device: FakeUsbDevice, face: FakeInterface): void {
    if (!face.authorized || face.driver) return;
    if (face.class === 0x08) face.driver = 'usb-storage';
    else if (face.class === 0x03) face.driver = 'usbhid';
    else if (face.class === 0x02 && face.subClass === 0x02) {
      face.driver = 'cdc_acm';
      const data = device.interfaces[face.number + 1];
      if (data?.authorized) data.driver = 'cdc_acm';
    }
    if (face.driver === 'usbhid')
      face.functions = [freeNode(this.#devices.values(), 'hidraw', 'hidraw', 'c', 240)];
    if (face.driver === 'cdc_acm')
      face.functions = [freeNode(this.#devices.values(), 'tty', 'ttyACM', 'c', 166)];
    if (face.driver === 'usb-storage')
      this.#later(this.#options.diskDelay, () => this.#addDisk(device, face));
  }

  #addDisk(device: FakeUsbDevice, face: FakeInterface): void {
    if (this.#devices.get(device.busId) !== device || face.driver !== 'usb-storage') return;
    if (this.#options.sg)
      face.functions.push(freeNode(this.#devices.values(), 'scsi_generic', 'sg', 'c', 21));
    const disk = freeNode(this.#devices.values(), 'block', 'sd', 'b', 8);
    face.functions.push(disk);
    for (let number = 1; number <= (device.spec.partitions ?? 0); number++) {
      this.#later(1, () => {
        const name = `${disk.name}${number}`;
        const minor = (disk.node?.minor ?? 0) + number;
        face.functions.push({
          kind: 'block',
          name,
          node: { path: `/dev/${name}`, type: 'b', major: 8, minor },
        });
      });
    }
  }

  #unbindInterface(device: FakeUsbDevice, face: FakeInterface): void {
    const { driver } = face;
    delete face.driver;
    face.functions = [];
    // cdc_acm has both of its interfaces and lets go of both.
    if (driver !== 'cdc_acm') return;
    for (const sibling of device.interfaces)
      if (sibling.driver === driver) this.#unbindInterface(device, sibling);
  }

  #isolate(bus: number, text: string): void {
    if (text === '0') this.#isolated.add(bus);
    else this.#isolated.delete(bus);
  }

  #device(busId: string): FakeUsbDevice {
    const device = this.#devices.get(busId);
    if (!device) throw new Errno('ENODEV');
    return device;
  }

  #port(number: number): FakePort {
    const port = this.#ports[number];
    if (!port) throw new Errno('EINVAL');
    return port;
  }

  #busOf({ number }: FakePort): number {
    return FIRST_VHCI_BUS + Math.floor(number / this.#options.portsPerHub);
  }

  #hubPath(bus: number): string {
    return `/sys/devices/platform/vhci_hcd.${Math.floor((bus - FIRST_VHCI_BUS) / 2)}/usb${bus}`;
  }

  #later(ms: number, change: () => void): void {
    setTimeout(() => {
      change();
      this.#render();
    }, ms);
  }

  // files

  #render(): void {
    const sysfs = this.sysfs;
    const { release, modules } = this.#options;
    sysfs.clear();
    sysfs.file('/proc/sys/kernel/osrelease', release);
    sysfs.file(`${USB}/drivers_probe`, '');
    for (const driver of ['usb', 'usb-storage', 'usbhid', 'cdc_acm'])
      sysfs.file(`${USB}/drivers/${driver}/unbind`, '');
    if (modules.includes('usbip-host')) {
      for (const file of ['bind', 'unbind', 'match_busid', 'rebind'])
        sysfs.file(`${USB}/drivers/usbip-host/${file}`, '');
    }
    for (const bus of [1, 2, 3]) this.#renderRootHub(bus, `${PCI}/usb${bus}`);
    for (const device of this.#devices.values()) renderUsbDevice(sysfs, device);
    if (modules.includes('vhci-hcd')) this.#renderVhci();
    this.onChange();
  }

  #renderVhci(): void {
    const { controllers, portsPerHub } = this.#options;
    for (let controller = 0; controller < controllers; controller++) {
      const bus = FIRST_VHCI_BUS + controller * 2;
      for (const number of [bus, bus + 1]) this.#renderRootHub(number, this.#hubPath(number));
      const first = controller * 2 * portsPerHub;
      const rows = this.#ports.slice(first, first + 2 * portsPerHub).map(statusRow);
      const name = controller === 0 ? 'status' : `status.${controller}`;
      const headline = 'hub port sta spd dev      sockfd local_busid';
      this.sysfs.file(`${VHCI}/${name}`, [headline, ...rows].join('\n'));
    }
    this.sysfs.file(`${VHCI}/nports`, this.#ports.length);
    for (const file of ['attach', 'detach']) this.sysfs.file(`${VHCI}/${file}`, '');
  }

  #renderRootHub(bus: number, folder: string): void {
    this.sysfs.file(`${folder}/bDeviceClass`, '09');
    this.sysfs.file(`${folder}/interface_authorized_default`, this.#isolated.has(bus) ? 0 : 1);
    this.sysfs.link(`${USB}/devices/usb${bus}`, folder);
  }
}

/** An entry of the match_busid table (struct bus_id_priv, drivers/usb/usbip/stub_main.c). */
interface Match {
  status: 'added' | 'allocated' | 'removed';
  device?: FakeUsbDevice;
}

function usbfsPath({ busNumber, deviceNumber }: FakeUsbDevice): string {
  const [bus, device] = [busNumber, deviceNumber].map((number) => String(number).padStart(3, '0'));
  return `/dev/bus/usb/${bus}/${device}`;
}
