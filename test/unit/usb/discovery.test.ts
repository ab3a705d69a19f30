// The loop that keeps the picture of the node's devices true.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { Discovery, type DiscoveryPeriods, type Sighting } from '../../../node/usb/discovery.ts';
import type { SysfsTree } from '../../../node/usb/sysfs-tree.ts';
import type { UeventHandlers } from '../../../node/usb/uevent-source.ts';
import { keptLog } from '../../support/kept-log.ts';
import { memoryTree } from '../../support/memory-tree.ts';
import {
  hostFiles,
  mountFiles,
  sysfsPathOf,
  usbDeviceFiles,
  usbDevicePaths,
} from '../../support/sysfs-device.ts';
import { file } from '../../support/tree-file.ts';
import { adapterSpec, diskSpec, networkSpec } from '../../support/usb-spec.ts';

const DISK = diskSpec({ busId: '3-1', deviceNumber: 5 });
const ADAPTER = adapterSpec({ busId: '3-2', deviceNumber: 6 });

/** Milliseconds: `use` and `rescan` never come by themselves unless a test wants them to. */
const PERIODS: DiscoveryPeriods = { burst: 15, use: 1_000_000, rescan: 1_000_000 };

const started: Discovery[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((discovery) => discovery.stop()));
});

function start(
  options: {
    periods?: Partial<DiscoveryPeriods>;
    take?: (sighting: Sighting) => Promise<void>;
    tree?: SysfsTree;
  } = {},
) {
  const tree = memoryTree(hostFiles([3]));
  const log = keptLog();
  const sightings: Sighting[] = [];
  const handlers: UeventHandlers[] = [];
  const events: string[] = [];
  let scans = 0;
  let closed = false;
  const discovery = new Discovery({
    tree: options.tree ?? tree,
    source: {
      start: (given) => handlers.push(given),
      close: () => {
        closed = true;
      },
    },
    log,
    onSighting: async (sighting) => {
      await options.take?.(sighting);
      sightings.push(sighting);
    },
    onScan: () => scans++,
    onEvent: ({ devpath }) => events.push(devpath),
    periods: { ...PERIODS, ...options.periods },
  });
  discovery.start();
  started.push(discovery);
  const [heard] = handlers;
  if (!heard) throw new Error('the source was not started');
  return {
    tree,
    log,
    discovery,
    sightings,
    event: (SUBSYSTEM = 'usb', devpath = '/devices/usb3/3-1') =>
      heard.onEvent({ action: 'add', devpath, env: { SUBSYSTEM } }),
    heard: () => events,
    gap: () => heard.onGap('ENOBUFS'),
    scans: () => scans,
    closed: () => closed,
    seen: () => sightings.at(-1)?.devices.map(({ device }) => device.busId),
    use: () => sightings.at(-1)?.devices[0]?.use,
  };
}

const eventually = <T>(look: () => T) => expect.poll(look, { interval: 3, timeout: 5_000 });

/** Long enough for every scan that was asked for. */
const settle = () => sleep(80);

describe('discovery', () => {
  it('tells what is plugged in at start', async () => {
    const node = start();
    node.tree.add(usbDeviceFiles(DISK));
    await eventually(node.seen).toEqual(['3-1']);
  });

  it('tells a device that comes, and one that goes', async () => {
    const node = start();
    await eventually(node.seen).toEqual([]);
    node.tree.add(usbDeviceFiles(DISK));
    node.event();
    await eventually(node.seen).toEqual(['3-1']);
    node.tree.remove(usbDevicePaths(DISK));
    node.event();
    await eventually(node.seen).toEqual([]);
  });

  it('reads a burst of events in two scans', async () => {
    const node = start();
    await settle();
    for (let count = 0; count < 50; count++) node.event();
    await eventually(node.scans).toBe(2);
    for (let count = 0; count < 50; count++) node.event();
    await settle();
    expect(node.scans()).toBe(3);
  });

  it('does not wait for the burst to end before the first scan', async () => {
    const node = start({ periods: { burst: 60_000 } });
    node.tree.add(usbDeviceFiles(DISK));
    await eventually(node.seen).toEqual(['3-1']);
  });

  it('tells nothing when nothing changed', async () => {
    const node = start();
    node.tree.add(usbDeviceFiles(DISK));
    await eventually(node.seen).toEqual(['3-1']);
    node.event();
    await eventually(node.scans).toBe(2);
    await settle();
    expect(node.sightings).toHaveLength(1);
  });

  it('reads everything after a gap, and says so', async () => {
    const node = start();
    await settle();
    node.tree.add(usbDeviceFiles(DISK));
    node.gap();
    await eventually(node.seen).toEqual(['3-1']);
    expect(node.log.lines).toMatchObject([{ level: 'warn', fields: { reason: 'ENOBUFS' } }]);
  });

  it('does not look when something else than USB changes', async () => {
    const node = start();
    await settle();
    node.event('leds');
    await settle();
    expect(node.scans()).toBe(1);
  });

  it('passes on what concerns an imported device, but does not look', async () => {
    const node = start();
    await settle();
    const devpath = '/devices/platform/vhci_hcd.0/usb9/9-1';
    node.event('usb', devpath);
    await settle();
    expect([node.heard(), node.scans()]).toEqual([[devpath], 1]);
  });

  it('finds after a while what no event told', async () => {
    const node = start({ periods: { rescan: 50 } });
    await eventually(node.seen).toEqual([]);
    node.tree.add(usbDeviceFiles(DISK));
    await eventually(node.seen).toEqual(['3-1']);
  });

  it('notices that a disk is mounted, and that it is free again', async () => {
    const node = start({ periods: { use: 20 } });
    node.tree.add(usbDeviceFiles(DISK));
    await eventually(node.seen).toEqual(['3-1']);
    node.tree.add(mountFiles([['8:1', '/dev/sda1', '/mnt']]));
    await eventually(() => node.use()?.mounts).toEqual(['sda1 on /mnt']);
    node.tree.add(mountFiles([]));
    await eventually(() => node.use()?.mounts).toEqual([]);
  });

  it('does not scan when something else is mounted', async () => {
    const node = start({ periods: { use: 10 } });
    node.tree.add(usbDeviceFiles(DISK));
    await eventually(node.seen).toEqual(['3-1']);
    node.tree.add(mountFiles([['253:0', '/dev/dm-0', '/var']]));
    await settle();
    expect(node.scans()).toBe(1);
  });

  it('notices that a network interface is set up', async () => {
    const node = start({ periods: { use: 20 } });
    const place = { busId: '3-1', deviceNumber: 5 };
    node.tree.add(usbDeviceFiles(networkSpec(place)));
    await eventually(node.seen).toEqual(['3-1']);
    node.tree.add(usbDeviceFiles(networkSpec(place, 'eth1', true)));
    await eventually(() => node.use()?.networkUp).toEqual(['eth1']);
  });

  it('brings a sighting again that could not be taken in', async () => {
    let failures = 1;
    const node = start({
      take: async () => {
        if (failures-- > 0) throw new Error('the disk is full');
      },
    });
    node.tree.add(usbDeviceFiles(DISK));
    await eventually(() => node.discovery.problem).toBe('the disk is full');
    await eventually(node.seen).toEqual(['3-1']);
    await eventually(() => node.discovery.problem).toBeUndefined();
  });

  it('goes on when the folder of devices cannot be read for a while', async () => {
    const tree = memoryTree([...hostFiles([3]), ...usbDeviceFiles(DISK)]);
    let refused = true;
    const flaky: SysfsTree = {
      list: (path) => {
        if (refused) throw new Error('EACCES');
        return tree.list(path);
      },
      readText: (path) => tree.readText(path),
      readBytes: (path) => tree.readBytes(path),
      resolve: (path) => tree.resolve(path),
      exists: (path) => tree.exists(path),
      deviceNumbers: (path) => tree.deviceNumbers(path),
      write: (path, text) => tree.write(path, text),
      hold: (path) => tree.hold(path),
    };
    const node = start({ tree: flaky });
    await eventually(() => node.discovery.problem).toBe('EACCES');
    refused = false;
    await eventually(node.seen).toEqual(['3-1']);
  });

  it('says once what is wrong with a device', async () => {
    const node = start();
    node.tree.add([...usbDeviceFiles(DISK), file(`${sysfsPathOf(DISK)}/speed`, 'fast')]);
    await eventually(node.seen).toEqual(['3-1']);
    node.tree.add(usbDeviceFiles(ADAPTER));
    node.event();
    await eventually(node.seen).toEqual(['3-1', '3-2']);
    expect(node.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(node.sightings.at(-1)?.problems).toHaveLength(1);
  });

  it('stops for good', async () => {
    const node = start({ periods: { use: 5, rescan: 5 } });
    await eventually(node.seen).toEqual([]);
    await node.discovery.stop();
    const scans = node.scans();
    node.event();
    await settle();
    expect(node.scans()).toBe(scans);
    expect(node.closed()).toBe(true);
  });

  it('keeps no memory of a thousand pluggings', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const tree = memoryTree(hostFiles([3]));
    let plugged = 0;
    let wake = () => {};
    let heard: UeventHandlers | undefined;
    const discovery = new Discovery({
      tree,
      source: { start: (given) => (heard = given), close: () => {} },
      log: keptLog(),
      onSighting: async ({ devices }) => {
        plugged = devices.length;
        wake();
      },
      periods: { burst: 0, use: 2_000, rescan: 300_000 },
    });
    discovery.start();
    const change = async (count: number) => {
      while (plugged !== count) {
        const told = new Promise<void>((resolve) => {
          wake = resolve;
        });
        heard?.onEvent({ action: 'add', devpath: '/devices/usb3', env: { SUBSYSTEM: 'usb' } });
        await told;
      }
    };
    const plug = async (times: number) => {
      for (let count = 0; count < times; count++) {
        const spec = diskSpec({ busId: '3-1', deviceNumber: 2 + (count % 100) });
        tree.add(usbDeviceFiles(spec));
        await change(1);
        tree.remove(usbDevicePaths(spec));
        await change(0);
      }
    };
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    await plug(50);
    const before = heap();
    const began = performance.now();
    await plug(500);
    const grown = heap() - before;
    console.log(
      `1000 events in ${Math.round(performance.now() - began)} ms, heap ${Math.round(grown / 1024)} KiB more`,
    );
    await discovery.stop();
    expect(grown).toBeLessThan(2 << 20);
  });
});
