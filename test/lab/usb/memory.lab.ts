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
const MARGIN = 6 * MIB;
const EVENTS = process.env.LAB_SOAK ? 5_000 : 1_000;

/** Controllers that a keyboard each is plugged into. */
const UDCS = [5, 6, 7, 8, 9];
const nameOf = (udc: number) => `STORM-${udc}`;

let cluster: Cluster;
let a: LabNode;
const keyboards: Gadget[] = [];

beforeAll(async () => {
  cluster = await sharedCluster();
  a = cluster.node('a');
  await agentsOn(cluster);
  for (const udc of UDCS) {
    keyboards.push(await Gadget.make(a, { name: nameOf(udc), kind: 'hid', udc, serial: nameOf(udc) }));
  }
});

afterAll(async () => {
  for (const keyboard of keyboards) await keyboard.remove();
});

/**
 * Bash: plugs and unplugs all gadgets as fast as the node's kernel can, each time until it has seen it. It starts no
 * programs in its loop, which would take the node's one processor from the agent.
 */
function storm(times: number): string {
  const rounds = UDCS.map((udc) => {
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
function plugAndUnplug(events: number): Promise<string> {
  return a.ok(storm(events / 2 / UDCS.length), { timeout: events * 2_000 });
}

/** How often the agent has read the devices of the node. */
async function scans(): Promise<number> {
  const metrics = await a.ok('busybox wget -qO- http://127.0.0.1:51515/metrics');
  return Number(/^virt_usb_scan_seconds_count (\d+)$/m.exec(metrics)?.[1]);
}

describe('memory and answers of an agent', () => {
  it(`stay below 90 MiB and flat, with the same descriptors, over ${EVENTS} plug events`, async () => {
    await plugAndUnplug(40);
    const scansBefore = await scans();
    const before = await workingSet(a);
    const begin = performance.now();
    await plugAndUnplug(EVENTS / 2);
    const half = await workingSet(a);
    await plugAndUnplug(EVENTS / 2);
    const seconds = (performance.now() - begin) / 1000;
    await waitFor('no device is left in the list', async () => (await devicesOf(cluster, 'a')).length === 0);
    const after = await workingSet(a);
    console.log(`before:            ${describeSet(before)}`);
    console.log(`after ${EVENTS / 2} events:  ${describeSet(half)}`);
    console.log(`after ${EVENTS} events: ${describeSet(after)}`);
    console.log(`${((await scans()) - scansBefore).toFixed(0)} scans in ${seconds.toFixed(0)} s`);
    expect(Math.max(before.total, half.total, after.total)).toBeLessThanOrEqual(LIMIT);
    expect(after.total - half.total).toBeLessThanOrEqual(MARGIN);
    expect(after.descriptors).toBe(before.descriptors);
    expect((await scans()) - scansBefore).toBeGreaterThan(EVENTS / 4);
  }, 3_600_000);

  it('to GetInfo come within 100 ms while it scans', async () => {
    const asking = a.ok(`node ${CHECKOUT}/test/support/get-info.ts 20`);
    let asked = false;
    const done = asking.finally(() => {
      asked = true;
    });
    while (!asked) await plugAndUnplug(20);
    const times = JSON.parse(await done) as number[];
    const ms = (q: number) => quantile(times, q).toFixed(1);
    console.log(
      `GetInfo while scanning: p50 ${ms(0.5)}, p95 ${ms(0.95)}, max ${Math.max(...times).toFixed(1)} ms (${times.length} calls)`,
    );
    expect(times.length).toBeGreaterThan(100);
    expect(quantile(times, 0.95)).toBeLessThanOrEqual(100);
  });
});
