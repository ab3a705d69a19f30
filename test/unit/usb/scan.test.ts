// Reading all devices: one bad one hides no other, and nobody waits for the scan.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { hostTree } from '../../../node/usb/host-tree.ts';
import { scanUsb } from '../../../node/usb/scan.ts';
import { memoryTree } from '../../support/memory-tree.ts';
import { hostFiles, sysfsPathOf, usbDeviceFiles } from '../../support/sysfs-device.ts';
import { file, writeTree } from '../../support/tree-file.ts';
import { adapterSpec, diskSpec, hubSpec, keyboardSpec, VHCI_CONTROLLER } from '../../support/usb-spec.ts';

const twenty = Array.from({ length: 20 }, (_, index) =>
  diskSpec({ busId: `1-${index + 1}`, deviceNumber: index + 2 }),
);

describe('a scan', () => {
  it('finds devices and hubs, but no root hubs and interfaces', async () => {
    const tree = memoryTree([
      ...hostFiles([1, 3]),
      ...usbDeviceFiles(hubSpec({ busId: '3-2', deviceNumber: 2 })),
      ...usbDeviceFiles(keyboardSpec({ busId: '3-2.4', deviceNumber: 3 })),
      ...usbDeviceFiles(adapterSpec({ busId: '1-1', deviceNumber: 2 })),
    ]);
    const { devices, problems } = await scanUsb(tree);
    expect(devices.map(({ busId }) => busId)).toEqual(['1-1', '3-2', '3-2.4']);
    expect(problems).toEqual([]);
  });

  it('keeps every good device beside a bad one, and says what was bad', async () => {
    const bad = diskSpec({ busId: '1-2', deviceNumber: 3 });
    const tree = memoryTree([
      ...hostFiles([1]),
      ...usbDeviceFiles(diskSpec({ busId: '1-1', deviceNumber: 2 })),
      ...usbDeviceFiles(bad),
      ...usbDeviceFiles(adapterSpec({ busId: '1-3', deviceNumber: 4 })),
      file(`${sysfsPathOf(bad)}/devnum`, 'x'),
      file(`${sysfsPathOf(bad)}/uevent`, ''),
    ]);
    const { devices, problems } = await scanUsb(tree);
    expect(devices.map(({ busId }) => busId)).toEqual(['1-1', '1-3']);
    expect(problems.map(({ busId }) => busId)).toEqual(['1-2']);
  });

  it('does not read what is imported from other nodes, which would wait for the network', async () => {
    const imported = diskSpec({ busId: '9-1', deviceNumber: 2, controller: VHCI_CONTROLLER });
    const tree = memoryTree([
      ...hostFiles([1]),
      ...usbDeviceFiles(diskSpec({ busId: '1-1', deviceNumber: 2 })),
      ...usbDeviceFiles(imported),
    ]);
    const read: string[] = [];
    const readBytes = tree.readBytes.bind(tree);
    tree.readBytes = (path) => {
      read.push(path);
      return readBytes(path);
    };
    const { devices } = await scanUsb(tree);
    expect(devices.map(({ busId }) => busId)).toEqual(['1-1']);
    expect(read.filter((path) => path.includes('vhci_hcd'))).toEqual([]);
  });

  it('finds nothing on a host without USB', async () => {
    expect(await scanUsb(memoryTree())).toEqual({ devices: [], problems: [] });
  });

  it('of 20 devices lets other work run between two of them', async () => {
    const tree = memoryTree([...hostFiles([1]), ...twenty.flatMap(usbDeviceFiles)]);
    let turns = 0;
    let done = false;
    const turn = () => {
      turns++;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    const { devices } = await scanUsb(tree);
    done = true;
    expect(devices).toHaveLength(20);
    expect(turns).toBeGreaterThanOrEqual(19);
  });

  it('of 20 devices in real files never holds up a call for 100 ms', async () => {
    const root = mkdtempSync(join(tmpdir(), 'scan-'));
    writeTree(root, [...hostFiles([1]), ...twenty.flatMap(usbDeviceFiles)]);
    const tree = hostTree(root);
    await scanUsb(tree);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const { devices } = await scanUsb(tree);
    const took = performance.now() - began;
    delay.disable();
    rmSync(root, { recursive: true });
    console.log(`20 devices in ${took.toFixed(1)} ms, longest wait ${(delay.max / 1e6).toFixed(1)} ms`);
    expect(devices).toHaveLength(20);
    expect(delay.max / 1e6).toBeLessThan(100);
  });
});
