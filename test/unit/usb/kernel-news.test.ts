// Waiting that the kernel's events cut short, and disks that are complete because it has announced them.
import { beforeEach, describe, expect, it } from 'vitest';
import { KernelNews } from '../../../node/usb/kernel-news.ts';

const HUB = '/devices/platform/vhci_hcd.0/usb9';
const DISK = `${HUB}/9-1/9-1:1.0/host0/target0:0:0/0:0:0:0/block/sda`;
const LONG = 60_000;

let now: number;
let news: KernelNews;
beforeEach(() => {
  now = 1_000;
  news = new KernelNews(() => now);
  news.sighted([]);
});

const block = (action: string, DEVNAME: string) => ({
  action,
  devpath: `${DISK}/${DEVNAME}`,
  env: { SUBSYSTEM: 'block', DEVNAME },
});
const usb = (action: string, DEVTYPE: string) => ({
  action,
  devpath: `${HUB}/9-1`,
  env: { SUBSYSTEM: 'usb', DEVTYPE },
});

/** Whether a pause that would last a minute has ended. */
async function woken(event: Parameters<KernelNews['take']>[0]): Promise<boolean> {
  const ended = new AbortController();
  const pause = news.pause(LONG, ended.signal).then(() => true);
  news.take(event);
  const result = await Promise.race([pause, new Promise<false>((resolve) => setImmediate(resolve, false))]);
  ended.abort();
  await pause;
  return result;
}

describe('a pause', () => {
  it.each([
    ['a device is configured', usb('bind', 'usb_device')],
    ['a device is gone', usb('remove', 'usb_device')],
    ['a disk is announced', block('add', 'sda')],
    [
      'something has changed that is not named',
      { action: 'change', devpath: '/bus/usb', env: { SUBSYSTEM: 'usb' } },
    ],
    [
      'a serial port is made',
      { action: 'add', devpath: `${HUB}/9-1/tty/ttyACM0`, env: { SUBSYSTEM: 'tty' } },
    ],
  ])('ends when %s', async (_, event) => {
    expect(await woken(event)).toBe(true);
  });

  it.each([
    ['a device that is still being enumerated', usb('add', 'usb_device')],
    ['an interface', usb('bind', 'usb_interface')],
    [
      'the network of a pod',
      { action: 'add', devpath: '/devices/virtual/net/veth1', env: { SUBSYSTEM: 'net' } },
    ],
    [
      'a volume',
      {
        action: 'add',
        devpath: '/devices/virtual/block/loop7',
        env: { SUBSYSTEM: 'block', DEVNAME: 'loop7' },
      },
    ],
  ])('does not end for %s', async (_, event) => {
    expect(await woken(event)).toBe(false);
  });

  it('ends when its time is over, when its signal aborts, and when that has aborted before', async () => {
    const begin = performance.now();
    await news.pause(5);
    const abort = new AbortController();
    const aborted = news.pause(LONG, abort.signal);
    abort.abort();
    await aborted;
    await news.pause(LONG, abort.signal);
    expect(performance.now() - begin).toBeLessThan(LONG / 10);
  });

  it('ends for all who wait, and once', async () => {
    const both = Promise.all([news.pause(LONG), news.pause(LONG)]);
    news.take(usb('bind', 'usb_device'));
    await both;
    expect(await woken(usb('add', 'usb_device'))).toBe(false);
  });

  it('ends when events were lost', async () => {
    const pause = news.pause(LONG);
    news.gap();
    await pause;
  });
});

describe('a disk', () => {
  it('is announced by its event, until it is removed', () => {
    expect(news.isAnnounced('sda')).toBe(false);
    news.take(block('add', 'sda'));
    expect([news.isAnnounced('sda'), news.isAnnounced('sda1')]).toEqual([true, false]);
    news.take(block('remove', 'sda'));
    expect(news.isAnnounced('sda')).toBe(false);
  });

  it('that was there before the agent counts after a moment in which its partitions can come', () => {
    news = new KernelNews(() => now);
    news.sighted(['sda', 'sda1']);
    expect(news.isAnnounced('sda')).toBe(false);
    now += 100;
    expect([news.isAnnounced('sda'), news.isAnnounced('sda1')]).toEqual([true, true]);
  });

  it('that a later scan finds is not announced by that', () => {
    news.sighted(['sdb']);
    now += 100;
    expect(news.isAnnounced('sdb')).toBe(false);
  });

  it('is not announced any more after events were lost, until it is seen again', () => {
    news.take(block('add', 'sda'));
    news.gap();
    expect(news.isAnnounced('sda')).toBe(false);
    news.sighted(['sda']);
    now += 100;
    expect(news.isAnnounced('sda')).toBe(true);
  });

  it('that was announced while the first scan ran counts at once', () => {
    news = new KernelNews(() => now);
    news.take(block('add', 'sda'));
    news.sighted(['sda']);
    expect(news.isAnnounced('sda')).toBe(true);
  });
});
