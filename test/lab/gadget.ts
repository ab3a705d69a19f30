// An emulated USB device on a node: what a person would plug in, move and pull out.
import {
  GADGETS,
  type GadgetSpec,
  makeScript,
  plugScript,
  removeScript,
  unplugScript,
} from './gadget-plan.ts';
import { LabError } from './lab-error.ts';
import type { LabNode } from './node.ts';
import { waitFor } from './wait.ts';

export class Gadget {
  readonly node: LabNode;
  readonly name: string;
  #udc: number;
  #busid = '';

  private constructor(node: LabNode, spec: GadgetSpec) {
    this.node = node;
    this.name = spec.name;
    this.#udc = spec.udc;
  }

  /** Makes the device, plugs it in and waits until the node's kernel has configured it. */
  static async plug(node: LabNode, spec: GadgetSpec): Promise<Gadget> {
    const gadget = await Gadget.make(node, spec);
    await gadget.plug();
    return gadget;
  }

  /** Makes the device but leaves it unplugged. */
  static async make(node: LabNode, spec: GadgetSpec): Promise<Gadget> {
    await node.ok(makeScript(spec));
    return new Gadget(node, spec);
  }

  /** Where the node sees it, like `5-1`; changes when it moves. Throws LabError while it is unplugged. */
  get busid(): string {
    if (!this.#busid) throw new LabError(`gadget ${this.name} is not plugged in`);
    return this.#busid;
  }

  /** The emulated controller it is, or was last, plugged into. */
  get udc(): number {
    return this.#udc;
  }

  /** Plugs it in, by default where it was before; returns the busid. */
  async plug(udc: number = this.#udc): Promise<string> {
    await this.node.ok(plugScript(this.name, udc));
    this.#udc = udc;
    // A controller has two root hubs; the device shows up below the one of its speed.
    const find = `for d in /sys/devices/platform/dummy_hcd.${udc}/usb*/*-1; do [ ! -f $d/bConfigurationValue ] || [ -z "$(cat $d/bConfigurationValue)" ] || basename $d; done`;
    this.#busid = await waitFor(
      `gadget ${this.name} appears on node ${this.node.name}`,
      () => this.node.ok(find),
      { timeout: 10_000, interval: 20 },
    );
    return this.#busid;
  }

  /** Pulls it out; returns when the node no longer lists it. */
  async unplug(): Promise<void> {
    await this.node.ok(unplugScript(this.name));
    if (!this.#busid) return;
    const listed = `[ ! -e /sys/bus/usb/devices/${this.#busid} ] && echo gone`;
    await waitFor(`gadget ${this.name} is gone`, async () => (await this.node.sh(listed)).out, {
      interval: 20,
    });
    this.#busid = '';
  }

  /** Pulls it out and plugs it into another controller, as a person moves a stick to another socket. */
  async move(udc: number): Promise<string> {
    await this.unplug();
    return this.plug(udc);
  }

  /** Pulls it out and takes it apart. */
  async remove(): Promise<void> {
    await this.unplug();
    await this.node.ok(removeScript(this.name));
  }

  /** The device's own end: where a keyboard's reports or a modem's bytes go in and out. Only for hid and acm. */
  async ownEnd(): Promise<string> {
    const functions = `${GADGETS}/${this.name}/functions`;
    return this.node.ok(`
      [ ! -f ${functions}/acm.0/port_num ] || echo /dev/ttyGS$(cat ${functions}/acm.0/port_num)
      [ ! -f ${functions}/hid.0/dev ] || echo /dev/$(. /sys/dev/char/$(cat ${functions}/hid.0/dev)/uevent; echo $DEVNAME)
    `);
  }

  /** Block device, hidraw or tty by which the node itself uses it; '' when a driver of the node does not. */
  async deviceNode(): Promise<string> {
    return nodeOf(this.node, this.busid);
  }
}

/** First block device, hidraw or tty below a USB device, for example an imported one; '' when there is none. */
export async function nodeOf(node: LabNode, busid: string): Promise<string> {
  return node.ok(`
    cd /sys/bus/usb/devices/${busid}/ || exit
    for name in $(find . -path '*/block/*' -prune -name 'sd*' -o -path '*/hidraw/hidraw*' -prune -o -path '*/tty/tty*' -prune | sed -n 's#.*/##p'); do
      case $name in sd*|hidraw*|tty*) echo /dev/$name; exit ;; esac
    done
  `);
}
