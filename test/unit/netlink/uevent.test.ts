// The codec of kernel uevents, by example.
import { describe, expect, it } from 'vitest';
import { decodeUevent, encodeUevent } from '../../../node/netlink/uevent.ts';
import { errorCode } from '../../support/error-code.ts';

const bytes = (text: string) => Buffer.from(text);
const decode = (text: string) => decodeUevent(bytes(text));

describe('a uevent', () => {
  it('has an action, a path and named values', () => {
    expect(decode('add@/devices/usb1/1-1\0ACTION=add\0SUBSYSTEM=usb\0')).toEqual({
      action: 'add',
      devpath: '/devices/usb1/1-1',
      env: { ACTION: 'add', SUBSYSTEM: 'usb' },
    });
  });

  it('may have no values at all', () => {
    expect(decode('change@/a\0')).toEqual({ action: 'change', devpath: '/a', env: {} });
  });

  it('may have an action that the kernel of today does not know', () => {
    expect(decode('hibernate@/a\0').action).toBe('hibernate');
  });

  it('may have values with equals signs, or without anything', () => {
    expect(decode('add@/a\0NAME="x=y"\0EMPTY=\0').env).toEqual({ NAME: '"x=y"', EMPTY: '' });
  });

  it('keeps a name that means something to JavaScript', () => {
    const { env } = decode('add@/a\0__proto__=x\0constructor=y\0');
    expect(Object.entries(env)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it('replaces what is not UTF-8', () => {
    const raw = Buffer.concat([bytes('add@/a\0NAME='), Buffer.of(0xff), bytes('\0')]);
    expect(decodeUevent(raw).env).toEqual({ NAME: '\ufffd' });
  });

  it('is read from the middle of a larger buffer', () => {
    const whole = bytes('xxadd@/a\0K=v\0yy');
    expect(decodeUevent(whole.subarray(2, -2))).toEqual({ action: 'add', devpath: '/a', env: { K: 'v' } });
  });

  it.each([
    ['nothing', ''],
    ["udevd's own format", 'libudev\0\xfe\xed\xca\xfe add@/a\0'],
    ['no path', 'add\0A=b\0'],
    ['an empty action', '@/a\0'],
    ['a relative path', 'add@a\0'],
    ['an action in capitals', 'ADD@/a\0'],
    ['no final NUL', 'add@/a\0A=b'],
    ['a value without a name', 'add@/a\0=b\0'],
    ['a name without a value', 'add@/a\0A\0'],
    ['an empty field', 'add@/a\0\0A=b\0'],
  ])('is refused with %s', async (_, text) => {
    expect(await errorCode(() => decode(text))).toBe('PROTOCOL');
  });

  it('is written as the kernel writes it', () => {
    const event = { action: 'bind', devpath: '/devices/x', env: { DRIVER: 'usb', SEQNUM: '7' } };
    expect(Buffer.from(encodeUevent(event)).toString()).toBe('bind@/devices/x\0DRIVER=usb\0SEQNUM=7\0');
  });
});
