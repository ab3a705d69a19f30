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
  /** Returns when b has let go of it and a's own driver has it again. */
  readonly detach: () => Promise<void>;
}

export interface Side {
  readonly attach: (disk: Gadget) => Promise<Attached>;
}

const STOCK_PORT = 3240;
const IN_TIME = { interval: 20 };

/** Starts the server on a. An administrator has bound the disk before anyone asks for it, so that is not timed. */
export async function stockSide(a: LabNode, b: LabNode): Promise<Side> {
  await a.ok(`usbipd -D --tcp-port ${STOCK_PORT}`);
  const attach = async (disk: Gadget): Promise<Attached> => {
    await a.ok(`usbip bind -b ${disk.busid}`);
    await waitFor('the disk can be exported', async () => (await statusOf(disk)) === '1', IN_TIME);
    const out = await b.ok(stockAttach(a.address, disk));
    const [path = '', milliseconds] = out.split('\n').at(-1)?.split(' ') ?? [];
    const detach = async () => {
      await b.ok(
        `usbip detach -p $(usbip port 2>/dev/null | awk '/^Port/ { port = $2 + 0 } /:${STOCK_PORT}\\// { print port }')`,
      );
      await diskGone(b, path);
      await waitFor('the disk is let go', async () => (await statusOf(disk)) === '1', IN_TIME);
      await a.ok(`usbip unbind -b ${disk.busid}`);
      await ownDriver(disk);
    };
    return { path, milliseconds: Number(milliseconds), detach };
  };
  return { attach };
}

/** Nothing is started while it waits, because that would take the node's one processor from the attaching. */
function stockAttach(host: string, { name, busid }: Gadget): string {
  const vhci = '/sys/devices/platform/vhci_hcd.*/usb*';
  return `
    # Our importer keeps drivers away from what is imported until it lets them; this is the kernel's own setting.
    for file in ${vhci}/interface_authorized_default; do echo 1 >$file; done
    rm -f /run/never; mkfifo /run/never; exec 9<>/run/never
    find_disk() {
      for file in ${vhci}/*-*/serial; do
        read -r serial <$file && [ "$serial" = ${name} ] || continue
        for disk in \${file%/*}/*/host*/target*/*/block/sd*; do [ -e /dev/\${disk##*/} ] && return; done
      done 2>/dev/null
      return 1
    }
    begin=$(date +%s%N)
    usbip --tcp-port ${STOCK_PORT} attach -r ${host} -b ${busid} || exit
    until find_disk && dd if=/dev/\${disk##*/} of=/dev/null bs=4k count=1 iflag=direct status=none 2>/dev/null
    do read -t 0.015 -u 9; done
    echo /dev/\${disk##*/} $((($(date +%s%N) - begin) / 1000000))
  `;
}

interface Printed {
  readonly attachment: object;
  readonly usable: { readonly nodes: readonly { readonly path: string }[] };
  readonly milliseconds: number;
}

function program(name: string): string {
  return `node ${CHECKOUT}/test/support/usbip-${name}.ts`;
}

/** Starts an exporter on a for each disk. Its bind is part of the request. */
export async function ourSide(a: LabNode, b: LabNode, disks: readonly Gadget[]): Promise<Side> {
  const portOf = (disk: Gadget) => STOCK_PORT + 1 + disks.indexOf(disk);
  for (const disk of disks) await startExporter(a, disk, portOf(disk));
  const attach = async (disk: Gadget): Promise<Attached> => {
    const where = `--host ${a.address} --port ${portOf(disk)} --bus-id ${disk.busid}`;
    const what = `--vendor 46f4 --product 0001 --serial ${disk.name}`;
    const printed = await b.ok(`${program('import')} ${where} ${what} --mode driver`);
    const { attachment, usable, milliseconds } = JSON.parse(printed) as Printed;
    const path = usable.nodes.find((node) => node.path.startsWith('/dev/sd'))?.path;
    if (!path) throw new Error(`there is no disk in ${printed}`);
    const detach = async () => {
      await b.ok(`${program('import')} --release '${JSON.stringify(attachment)}'`);
      await diskGone(b, path);
      await ownDriver(disk);
    };
    return { path, milliseconds, detach };
  };
  return { attach };
}

async function startExporter(a: LabNode, { busid }: Gadget, port: number): Promise<void> {
  const log = `/run/export-${port}.log`;
  await a.ok(`
    setsid ${program('export')} --bus-id ${busid} --address ${a.address} --port ${port} >${log} 2>&1 &
    until grep -q '^listening' ${log}; do kill -0 $! || { cat ${log}; exit 1; }; sleep 0.05; done
  `);
}

function statusOf(disk: Gadget): Promise<string> {
  return disk.node.ok(`cat /sys/bus/usb/devices/${disk.busid}/usbip_status`);
}

async function diskGone(b: LabNode, path: string): Promise<void> {
  await waitFor(`${path} is gone from b`, async () => (await b.sh(`[ -e ${path} ]`)).code !== 0, IN_TIME);
}

async function ownDriver(disk: Gadget): Promise<void> {
  await waitFor('the disk is usable on a', () => disk.deviceNode(), IN_TIME);
}
