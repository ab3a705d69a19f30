// A node whose kernel is simulated: a real folder that a program in another process reads as its host, and a socket
// through which what the program writes reaches the kernel and comes back as success or errno.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errnoOf } from '../../node/usbip/kernel-errno.ts';
import type { FakeKernelOptions } from './fake-kernel-options.ts';
import type { FakeUsbSpec } from './fake-usb-device.ts';
import { FakeUsbipKernel } from './fake-usbip-kernel.ts';
import { FolderMirror } from './folder-mirror.ts';

export class SimulatedNode {
  readonly root: string;
  readonly #kernel: FakeUsbipKernel;
  readonly #mirror: FolderMirror;
  readonly #socket: string;
  readonly #server: Server;

  /** `root` is made; it holds sys, dev and proc. Device files are empty files there. */
  constructor(root: string, options: FakeKernelOptions = {}) {
    this.root = root;
    // Descriptors belong to the program's process, so nothing can be said of them here.
    this.#kernel = new FakeUsbipKernel({ ...options, isSocket: () => true });
    this.#mirror = new FolderMirror(root, this.#kernel.sysfs);
    this.#shownOnce(() => undefined);
    this.#socket = `${root}.sock`;
    this.#server = createServer((socket) => void this.#answer(socket));
    this.#server.listen(this.#socket);
    // Nothing is mounted. Without the tables nobody could know that, and every disk would be blocked.
    mkdirSync(join(root, 'proc/1'), { recursive: true });
    writeFileSync(join(root, 'proc/1/mountinfo'), '');
    writeFileSync(join(root, 'proc/swaps'), 'Filename\tType\tSize\tUsed\tPriority\n');
  }

  /** What a program must be started with to have this kernel: arguments of node, and environment. */
  get nodeArguments(): string[] {
    return ['--import', fileURLToPath(new URL('kernel-writes.ts', import.meta.url))];
  }

  get environment(): Record<string, string> {
    return { SIMULATED_ROOT: this.root, SIMULATED_KERNEL: this.#socket };
  }

  plug(busId: string, spec: FakeUsbSpec): void {
    this.#kernel.plug(busId, spec);
  }

  unplug(busId: string): void {
    this.#kernel.unplug(busId);
  }

  /** One after the other in the kernel, and shown at once: as with a hub, and much faster. */
  plugAll(devices: ReadonlyMap<string, FakeUsbSpec>): void {
    this.#shownOnce(() => {
      for (const [busId, spec] of devices) this.#kernel.plug(busId, spec);
    });
  }

  unplugAll(busIds: Iterable<string>): void {
    this.#shownOnce(() => {
      for (const busId of busIds) this.#kernel.unplug(busId);
    });
  }

  /** Lets imports on this node find what the other exports; both nodes must call it. */
  connectTo(other: SimulatedNode): void {
    this.#kernel.connectTo(other.#kernel);
  }

  /** 4 while a vhci port is free, 6 while it is used. */
  portState(number: number): number | undefined {
    return this.#kernel.portState(number);
  }

  /** Of a whole device: `usb`, `usbip-host`, or none. */
  driverOf(busId: string): string | undefined {
    return this.#kernel.readDevice(busId)?.driver;
  }

  close(): void {
    this.#server.close();
    rmSync(this.#socket, { force: true });
  }

  #shownOnce(work: () => void): void {
    this.#kernel.onChange = () => undefined;
    work();
    this.#kernel.onChange = () => this.#mirror.show();
    this.#mirror.show();
  }

  /** `{path, text}` is a write, `{path}` an open device file that is held until the connection ends. */
  async #answer(socket: Socket): Promise<void> {
    const { path, text } = JSON.parse(await lineOf(socket)) as { path: string; text?: string };
    const { tree } = this.#kernel;
    try {
      if (text === undefined) {
        const held = await tree.hold(path);
        socket.once('close', () => void held.release());
      } else await tree.write(asLink(path), text);
      socket.write('{}\n');
    } catch (error) {
      socket.write(`${JSON.stringify({ code: errnoOf(error) ?? 'EIO' })}\n`);
    }
  }
}

/** Never comes when the program ends before it has asked. */
function lineOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.endsWith('\n')) resolve(text);
    });
    socket.on('error', () => socket.destroy());
  });
}

/** The kernel knows a device's file by the link in /sys/bus/usb/devices, whichever way the program went. */
function asLink(path: string): string {
  const folder = basename(dirname(path));
  const isDevice = path.startsWith('/sys/devices/') && !folder.startsWith('vhci_hcd');
  return isDevice ? join('/sys/bus/usb/devices', folder, basename(path)) : path;
}
