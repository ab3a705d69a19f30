// Both ways to notice plugging, and which events matter.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeUevent } from '../../../node/netlink/uevent.ts';
import { netlinkUevents } from '../../../node/usb/netlink-uevents.ts';
import { concernsUsb } from '../../../node/usb/relevant-uevent.ts';
import { watchUevents } from '../../../node/usb/watch-uevents.ts';
import { hostFiles, usbDeviceFiles, usbDevicePaths } from '../../support/sysfs-device.ts';
import { removeTree, writeTree } from '../../support/tree-file.ts';
import { diskSpec } from '../../support/usb-spec.ts';

const event = (SUBSYSTEM: string, devpath = '/devices/pci0000:00/usb1/1-1') => ({
  action: 'add',
  devpath,
  env: { SUBSYSTEM },
});

function listener() {
  const events: string[] = [];
  const gaps: string[] = [];
  return {
    events,
    gaps,
    onEvent: ({ action }: { action: string }) => events.push(action),
    onGap: (reason: string) => gaps.push(reason),
  };
}

describe('an event concerns USB devices', () => {
  it('when it is about USB', () => expect(concernsUsb(event('usb', '/bus/usb'))).toBe(true));
  it.each(['block', 'net', 'hidraw', 'tty', 'scsi_generic', 'usbmisc', 'input'])(
    'when it is about %s below a USB bus, and only there',
    (subsystem) => {
      expect(concernsUsb(event(subsystem))).toBe(true);
      expect(concernsUsb(event(subsystem, '/devices/virtual/net/veth1'))).toBe(false);
    },
  );
  it('never when it is about something else', () => {
    expect(concernsUsb(event('leds'))).toBe(false);
    expect(concernsUsb({ action: 'add', devpath: '/devices/usb1/1-1', env: {} })).toBe(false);
  });
});

describe('netlink events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function open(failures = 0) {
    const sockets: Socket[] = [];
    let left = failures;
    const source = netlinkUevents(() => {
      if (left-- > 0) throw new Error('EMFILE');
      sockets.push(new Socket());
      return sockets.at(-1) as Socket;
    });
    const heard = listener();
    source.start(heard);
    return {
      source,
      sockets,
      heard,
      send: (bytes: Uint8Array) => sockets.at(-1)?.emit('data', Buffer.from(bytes)),
    };
  }

  it('are told as they come', () => {
    const { heard, send } = open();
    send(encodeUevent(event('usb')));
    expect(heard).toMatchObject({ events: ['add'], gaps: [] });
  });

  it('that make no sense are a gap, and the next is heard', () => {
    const { heard, sockets, send } = open();
    send(Buffer.from('libudev\0'));
    send(encodeUevent(event('usb')));
    expect(heard.gaps).toHaveLength(1);
    expect(heard.events).toEqual(['add']);
    expect(sockets).toHaveLength(1);
  });

  it('that were lost are a gap, told when another socket listens', async () => {
    const { heard, sockets, send } = open();
    sockets[0]?.destroy(new Error('read ENOBUFS'));
    await vi.advanceTimersByTimeAsync(99);
    expect(sockets).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sockets).toHaveLength(2);
    expect(heard.gaps).toEqual(['read ENOBUFS']);
    send(encodeUevent(event('usb')));
    expect(heard.events).toEqual(['add']);
  });

  it('are waited for ever longer while no socket can be had, but not for ever', async () => {
    const { heard, sockets } = open(20);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(heard.gaps.length).toBeLessThan(7);
    await vi.advanceTimersByTimeAsync(20 * 10_000);
    expect(sockets).toHaveLength(1);
  });

  it('end when the source is closed', async () => {
    const { source, sockets, heard } = open();
    source.close();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sockets).toHaveLength(1);
    expect(sockets[0]?.destroyed).toBe(true);
    expect(heard.gaps).toEqual([]);
  });
});

describe('watched folders', () => {
  let root: string;
  const DISK = diskSpec({ busId: '3-1', deviceNumber: 5 });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'watch-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  async function watching(act: (heard: ReturnType<typeof listener>) => Promise<void>): Promise<void> {
    const source = watchUevents(root);
    const heard = listener();
    source.start(heard);
    await act(heard).finally(() => source.close());
  }

  /** Waits until something is heard, and forgets it. */
  const hears = async ({ events }: ReturnType<typeof listener>) => {
    await expect.poll(() => events.length, { interval: 5 }).toBeGreaterThan(0);
    events.length = 0;
  };

  it('tell that a device comes and goes', async () => {
    writeTree(root, hostFiles([3]));
    await watching(async (heard) => {
      writeTree(root, usbDeviceFiles(DISK));
      await hears(heard);
      removeTree(
        root,
        usbDevicePaths(DISK).map((path) => ({ path, kind: 'dir' })),
      );
      await hears(heard);
    });
  });

  it('tell what happens in a bus that is made later, and made again', async () => {
    writeTree(root, hostFiles([]));
    await watching(async (heard) => {
      for (let round = 0; round < 2; round++) {
        mkdirSync(join(root, 'dev/bus/usb/007'));
        await hears(heard);
        writeFileSync(join(root, 'dev/bus/usb/007/002'), '');
        await hears(heard);
        rmSync(join(root, 'dev/bus/usb/007'), { recursive: true });
        await hears(heard);
      }
    });
  });

  it('may be missing until the first controller is there', async () => {
    await watching(async (heard) => {
      mkdirSync(join(root, 'dev'));
      await hears(heard);
      mkdirSync(join(root, 'dev/bus/usb/001'), { recursive: true });
      await hears(heard);
      writeFileSync(join(root, 'dev/bus/usb/001/001'), '');
      await hears(heard);
    });
  });

  it('tell again afterwards, because drivers are seen by nobody', async () => {
    writeTree(root, hostFiles([3]));
    await watching(async (heard) => {
      writeFileSync(join(root, 'dev/bus/usb/003/009'), '');
      await hears(heard);
      const began = performance.now();
      await hears(heard);
      expect(performance.now() - began).toBeGreaterThan(100);
    });
  });

  it('tell nothing once closed', async () => {
    writeTree(root, hostFiles([3]));
    const heard = listener();
    const source = watchUevents(root);
    source.start(heard);
    source.close();
    writeFileSync(join(root, 'dev/bus/usb/003/009'), '');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard).toMatchObject({ events: [], gaps: [] });
  });
});
