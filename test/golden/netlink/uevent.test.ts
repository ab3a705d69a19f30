// The bytes of events in the form of a kernel (lib/kobject_uevent.c) when a flash drive is plugged in.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeUevent, encodeUevent } from '../../../node/netlink/uevent.ts';

const lines = readFileSync(new URL('uevents.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n\n');
/** NUL is shown as a line break in the golden file. */
const messages = lines.map((text) => Buffer.from(`${text.replaceAll('\n', '\0')}\0`));

describe('uevents of a kernel', () => {
  it('are decoded to what they say', () => {
    const said = messages
      .map(decodeUevent)
      .map(
        ({ action, env }) =>
          `${action} ${env.SUBSYSTEM} ${env.DEVTYPE} ${env.DEVNAME ?? env.DRIVER ?? env.INTERFACE ?? ''}`,
      );
    expect(said).toEqual([
      'add usb usb_device bus/usb/001/002',
      'add usb usb_interface 8/6/80',
      'bind usb usb_interface usb-storage',
      'bind usb usb_device bus/usb/001/002',
      'add block disk sda',
      'add block partition sda1',
      'remove usb usb_device bus/usb/001/002',
    ]);
  });

  it('are encoded to the same bytes', () => {
    for (const message of messages) {
      expect(Buffer.from(encodeUevent(decodeUevent(message)))).toEqual(message);
    }
  });
});
