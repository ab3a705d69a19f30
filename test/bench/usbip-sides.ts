// The two that are compared: stock usbipd with `usbip attach`, and our exporter with our importer.
import type { Gadget } from '../lab/gadget.ts';
import { CHECKOUT } from '../lab/guest-files.ts';
import type { LabNode } from '../lab/node.ts';
import { waitFor } from '../lab/wait.ts';

/** A disk of node a on node b. */
export interface Attached {
  /** Its device node on b. */
  readonly path: string;
  /** Milliseconds from the request until that can be read. */
  readonly milliseconds: number;
  /** Returns when b has no port in use and a's own driver has the disk again. */
  readonly detach: () => Promise<void>;
}

export interface Side {
  readonly attach: () => Promise<Attached>;
}

const STOCK_PORT = 3240;
const OUR_PORT = 3241;
const IN_TIME = { interval: 20 };

/** Starts the server on a. An administrator has bound the disk before anyone asks for it, so that is not timed. */
export async function stockSide(a: LabNode, b: LabNode, disk: Gadget): Promise<Side> {
  await a.ok(`usbipd -D --tcp-port ${STOCK_PORT}`);
  const attach = async (): Promise<Attached> => {
    await a.ok(`usbip bind -b ${disk.busid}`);
    await waitFor('the disk can be exported', async () => (await statusOf(disk)) === '1', IN_TIME);
    // Our importer keeps drivers away from what is imported until it lets them; this is the kernel's own setting.
    await b.ok(
      'for file in /sys/devices/platform/vhci_hcd.*/usb*/interface_authorized_default; do echo 1 >$file; done',
    );
    const out = await b.ok(`
      begin=$(date +%s%N)
      usbip --tcp-port ${STOCK_PORT} attach -r ${a.address} -b ${disk.busid} || exit
      until dev=$(ls /dev/sd? 2>/dev/null) && dd if=$dev of=/dev/null bs=4k count=1 iflag=direct status=none 2>/dev/null
      do sleep 0.01; done
      echo $dev $((($(date +%s%N) - begin) / 1000000))
    `);
    const [path = '', milliseconds] = out.split('\n').at(-1)?.split(' ') ?? [];
    const detach = async () => {
      await b.ok("usbip detach -p $(usbip port 2>/dev/null | sed -n 's/^Port \\([0-9]*\\):.*/\\1/p')");
      await noDisk(b);
      await waitFor('the disk is let go', async () => (await statusOf(disk)) === '1', IN_TIME);
      await a.ok(`usbip unbind -b ${disk.busid}`);
      await ownDriver(disk);
    };
    return { path, milliseconds: Number(milliseconds), detach };
  };
  return { attach };
}

interface Printed {
  readonly attachment: object;
  readonly usable: { readonly nodes: readonly { readonly path: string }[] };
  readonly milliseconds: number;
}

/** Starts the exporter on a. Its bind is part of the request. */
export async function ourSide(a: LabNode, b: LabNode, disk: Gadget): Promise<Side> {
  const program = (name: string) => `node ${CHECKOUT}/test/support/usbip-${name}.ts`;
  await a.ok(`
    setsid ${program('export')} --bus-id ${disk.busid} --port ${OUR_PORT} >/run/export.log 2>&1 &
    until grep -q '^listening' /run/export.log; do kill -0 $! || { cat /run/export.log; exit 1; }; sleep 0.05; done
  `);
  const request = `--host ${a.address} --port ${OUR_PORT} --bus-id ${disk.busid} --vendor 46f4 --product 0001 --serial ${disk.name}`;
  const attach = async (): Promise<Attached> => {
    const printed = await b.ok(`${program('import')} ${request} --mode driver`);
    const { attachment, usable, milliseconds } = JSON.parse(printed) as Printed;
    const path = usable.nodes.find((node) => node.path.startsWith('/dev/sd'))?.path;
    if (!path) throw new Error(`there is no disk in ${printed}`);
    const detach = async () => {
      await b.ok(`${program('import')} --release '${JSON.stringify(attachment)}'`);
      await noDisk(b);
      await ownDriver(disk);
    };
    return { path, milliseconds, detach };
  };
  return { attach };
}

function statusOf(disk: Gadget): Promise<string> {
  return disk.node.ok(`cat /sys/bus/usb/devices/${disk.busid}/usbip_status`);
}

async function noDisk(b: LabNode): Promise<void> {
  await waitFor('the disk is gone from b', async () => (await b.sh('ls /dev/sd?')).code !== 0, IN_TIME);
}

async function ownDriver(disk: Gadget): Promise<void> {
  await waitFor('the disk is usable on a', () => disk.deviceNode(), IN_TIME);
}
