// What a node holds on behalf of the agent, taken before and after a test, so that nothing is left behind unseen.
import type { LabNode } from './node.ts';

/** Sections of lines; equal inventories mean that nothing was left. */
export interface Inventory {
  /** Used vhci ports, `<hub> <port> <state>`. */
  readonly ports: readonly string[];
  /** Busids bound to usbip-host, with their status. */
  readonly exports: readonly string[];
  /** Files in the CDI folders. */
  readonly cdi: readonly string[];
  /** Regular files below the plugins' folder of the kubelet, with a hash of their content. */
  readonly checkpoints: readonly string[];
  /** Emulated devices. */
  readonly gadgets: readonly string[];
}

const SECTIONS = ['ports', 'exports', 'cdi', 'checkpoints', 'gadgets'] as const;

// Columns of vhci's status: hub port sta spd dev sockfd local_busid; 004 is a free port.
const SCRIPT = `
  say() { sed "s/^/$1 /"; }
  cat /sys/devices/platform/vhci_hcd.*/status* 2>/dev/null |
    awk '($1 == "hs" || $1 == "ss") && $3 != "004" { print $1, $2, $3 }' | say ports
  for d in /sys/bus/usb/drivers/usbip-host/*-*; do
    [ ! -f $d/usbip_status ] || echo "exports $(basename $d) $(cat $d/usbip_status)"
  done
  find /etc/cdi /var/run/cdi/ -type f 2>/dev/null | say cdi
  find /var/lib/kubelet/plugins -type f -exec sha256sum {} + 2>/dev/null | say checkpoints
  ls /sys/kernel/config/usb_gadget | say gadgets
`;

export async function takeInventory(node: LabNode): Promise<Inventory> {
  return parseInventory(await node.ok(SCRIPT));
}

/** Reads lines `<section> <text>`; the order of the lines means nothing. */
export function parseInventory(text: string): Inventory {
  const lines = text.split('\n').map((line) => line.trim());
  const section = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1))
      .sort();
  return {
    ports: section('ports'),
    exports: section('exports'),
    cdi: section('cdi'),
    checkpoints: section('checkpoints'),
    gadgets: section('gadgets'),
  };
}

/** What appeared and what went, one sentence each; empty when nothing is left over. */
export function compareInventories(before: Inventory, after: Inventory): string[] {
  return SECTIONS.flatMap((name) => [
    ...after[name].filter((line) => !before[name].includes(line)).map((line) => `${name}: new: ${line}`),
    ...before[name].filter((line) => !after[name].includes(line)).map((line) => `${name}: gone: ${line}`),
  ]);
}

/** Open descriptors and memory of a process, to be compared over many repetitions. */
export interface ProcessUse {
  readonly descriptors: number;
  /** Resident set in KiB. */
  readonly memory: number;
  readonly threads: number;
}

/** Use of the one process whose command line matches the extended regular expression. */
export async function processUse(node: LabNode, pattern: string): Promise<ProcessUse> {
  const [descriptors, memory, threads] = (
    await node.ok(`
      pid=$(pgrep -of '${pattern}') || exit
      ls /proc/$pid/fd | wc -l
      awk '/^(VmRSS|Threads):/ { print $2 }' /proc/$pid/status
    `)
  )
    .split('\n')
    .map(Number);
  return { descriptors: descriptors ?? 0, memory: memory ?? 0, threads: threads ?? 0 };
}
