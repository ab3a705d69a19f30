// What an agent costs its node: memory and descriptors over a thousand plug events, and answers while it is busy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../cluster.ts';
import { Gadget } from '../gadget.ts';
import { GADGETS, plugScript } from '../gadget-plan.ts';
import { CHECKOUT } from '../guest-files.ts';
import type { LabNode } from '../node.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { waitFor } from '../wait.ts';
import { agentsOn, devicesOf } from './agents.ts';
import { quantile } from './timing.ts';
import { describeSet, workingSet } from './working-set.ts';

const MIB = 1024 * 1024;
const LIMIT = 90 * MIB;
/** More than this between the two halves would be growth and not the collector's ups and downs. */
const MARGIN = 8 * MIB;
const EVENTS = process.env.LAB_SOAK ? 5_000 : 1_000;

/** Controllers that one device each is plugged into: keyboards, of which a kernel can be no more than four. */
const UDCS = [5, 6, 7, 8, 9];
const kindOf = (udc: number) => (udc < 9 ? 'hid' : 'loopback');
const nameOf = (udc: number) => `STORM-${udc}`;

let cluster: Cluster;
let a: LabNode;
const devices: Gadget[] = [];

beforeAll(async () => {
  cluster = await sharedCluster();
  a = cluster.node('a');
  await agentsOn(cluster);
  for (const udc of UDCS) {
    devices.push(await Gadget.make(a, { name: nameOf(udc), kind: kindOf(udc), udc, serial: nameOf(udc) }));
  }
});

afterAll(async () => {
  for (const device of devices) await device.remove();
});

/**
 * Bash: plugs and unplugs devices side by side as fast as the node's kernel can, each time until it has seen it. It starts no
 * programs in its loop, which would take the node's one processor from the agent.
 */
function storm(times: number, udcs: readonly number[]): string {
  const rounds = udcs.map((udc) => {
    const place = `/sys/devices/platform/dummy_hcd.${udc}/usb*/*-1`;
    return `{
      for ((i = 0; i < ${times}; i++)); do
        ${plugScript(nameOf(udc), udc)}
        until configured ${place}; do pause; done
        echo >${GADGETS}/${nameOf(udc)}/UDC
        while there ${place}; do pause; done
      done
    } &`;
  });
  return `
    rm -f /run/never; mkfifo /run/never; exec 9<>/run/never
    pause() { read -r -t 0.02 -u 9; }
    there() { [ -e "$1" ]; }
    configured() { local value; read -r value 2>/dev/null <$1/bConfigurationValue && [ -n "$value" ]; }
    ${rounds.join('\n')}
    wait
  `;
}

/** A plug is one event and an unplug another. */
function plugAndUnplug(events: number, udcs = UDCS): Promise<string> {
  return a.ok(storm(events / 2 / udcs.length, udcs), { timeout: events * 2_000 });
}

interface Scans {
  readonly count: number;
  /** Of all of them. */
  readonly seconds: number;
}

/** How often, and for how long, the agent has read the devices of the node. */
async function scans(): Promise<Scans> {
  const metrics = await a.ok('busybox wget -qO- http://127.0.0.1:51515/metrics');
  const value = (name: string) =>
    Number(new RegExp(`^virt_usb_scan_seconds_${name} (.+)$`, 'm').exec(metrics)?.[1]);
  return { count: value('count'), seconds: value('sum') };
}

describe('memory and answers of an agent', () => {
  it(`stay below 90 MiB and flat, with the same descriptors, over ${EVENTS} plug events`, async () => {
    await plugAndUnplug(100);
    const before = { set: await workingSet(a), scans: await scans() };
    const begin = performance.now();
    await plugAndUnplug(EVENTS / 2);
    const half = await workingSet(a);
    await plugAndUnplug(EVENTS / 2);
    const seconds = (performance.now() - begin) / 1000;
    await waitFor('no device is left in the list', async () => (await devicesOf(cluster, 'a')).length === 0);
    const after = { set: await workingSet(a), scans: await scans() };
    const scanned = after.scans.count - before.scans.count;
    console.log(`before:            ${describeSet(before.set)}`);
    console.log(`after ${EVENTS / 2} events:  ${describeSet(half)}`);
    console.log(
      `after ${EVENTS} events: ${describeSet(after.set)}; ${scanned} scans in ${seconds.toFixed(0)} s`,
    );
    expect(Math.max(before.set.total, half.total, after.set.total)).toBeLessThanOrEqual(LIMIT);
    expect(after.set.total - half.total).toBeLessThanOrEqual(MARGIN);
    expect(after.set.descriptors).toBe(before.set.descriptors);
    expect(scanned).toBeGreaterThan(EVENTS / 10);
  }, 3_600_000);

  it('to GetInfo come within 100 ms while it scans, or as soon as the node has time for anyone', async () => {
    const before = await scans();
    let asking = true;
    const asked = a.ok(`node ${CHECKOUT}/test/support/get-info.ts 25`).finally(() => {
      asking = false;
    });
    while (asking) await plugAndUnplug(10, UDCS.slice(0, 1));
    const { driver, idle } = JSON.parse(await asked) as { driver: number[]; idle: number[] };
    const after = await scans();
    const [count, seconds] = [after.count - before.count, after.seconds - before.seconds];
    console.log(timesSentence('GetInfo of the agent', driver));
    console.log(timesSentence('GetInfo of an idle driver at the same time', idle));
    console.log(`${count} scans meanwhile, ${((seconds / count) * 1000).toFixed(1)} ms each`);
    expect(count).toBeGreaterThan(10);
    // On a crowded machine an idle driver waits for the node's one processor too, and a busy one longer.
    const allowed = Math.max(100, 3 * quantile(idle, 0.95));
    expect(quantile(driver, 0.95)).toBeLessThanOrEqual(allowed);
  });
});

function timesSentence(what: string, times: readonly number[]): string {
  const [p50, p95, most] = [quantile(times, 0.5), quantile(times, 0.95), Math.max(...times)];
  return `${what}: p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}, max ${most.toFixed(1)} ms (${times.length} calls)`;
}
