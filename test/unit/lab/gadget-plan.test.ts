// Plans of emulated devices: the bytes they write, and the devices that cannot be.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type GadgetSpec,
  makeScript,
  plugScript,
  removeScript,
  unplugScript,
} from '../../lab/gadget-plan.ts';

const keyboard: GadgetSpec = { name: 'KBD', kind: 'hid', udc: 0 };

/** The attributes that a script writes, as bytes. */
function writes(script: string): Map<string, Buffer> {
  const lines = script.matchAll(/^base64 -d <<<(\S+) >(\S+)$/gm);
  return new Map([...lines].map(([, value, file]) => [file ?? '', Buffer.from(value ?? '', 'base64')]));
}

function text(spec: GadgetSpec, file: string): string | undefined {
  return writes(makeScript(spec)).get(file)?.toString();
}

describe('a gadget', () => {
  it('stops at the first command that fails', () => {
    expect(makeScript(keyboard)).toMatch(/^set -e\n/);
  });

  it('has the ids of a common device of its kind unless told otherwise', () => {
    expect(text(keyboard, 'idVendor')).toBe('0x0627');
    expect(text({ ...keyboard, vendorId: 0xa, release: 0x0210 }, 'idVendor')).toBe('0x000a');
    expect(text({ ...keyboard, vendorId: 0xa, release: 0x0210 }, 'bcdDevice')).toBe('0x0210');
  });

  it('is called Lab, after its kind and its name unless told otherwise', () => {
    expect(text(keyboard, 'strings/0x409/manufacturer')).toBe('Lab');
    expect(text(keyboard, 'strings/0x409/product')).toBe('Lab hid');
    expect(text(keyboard, 'strings/0x409/serialnumber')).toBe('KBD');
  });

  it.each(['low', 'full', 'high', 'super'] as const)('says that its fastest speed is %s', (speed) => {
    expect(text({ ...keyboard, speed }, 'max_speed')).toBe(`${speed}-speed`);
  });

  it('writes any bytes of a serial unchanged, and nothing a shell would read', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 126 }).filter((value) => !value.includes(0));
    fc.assert(
      fc.property(bytes, (serial) => {
        const written = writes(makeScript({ ...keyboard, serial })).get('strings/0x409/serialnumber');
        expect(written?.equals(serial)).toBe(true);
      }),
    );
  });

  it('has no serial, or no strings at all, when they are null', () => {
    expect(text({ ...keyboard, serial: null }, 'strings/0x409/serialnumber')).toBeUndefined();
    const bare = makeScript({ ...keyboard, manufacturer: null, product: null, serial: null });
    expect(bare).not.toContain('strings');
  });

  it('writes the report descriptor of a keyboard, which ends its collection', () => {
    const descriptor = writes(makeScript(keyboard)).get('functions/hid.0/report_desc');
    expect(descriptor).toHaveLength(63);
    expect(descriptor?.subarray(0, 4).toString('hex')).toBe('05010906');
    expect(descriptor?.at(-1)).toBe(0xc0);
  });

  it('has its medium when it is a disk', () => {
    const disk: GadgetSpec = { name: 'D', kind: 'storage', udc: 1, file: '/run/my disk' };
    expect(text(disk, 'functions/mass_storage.0/lun.0/file')).toBe('/run/my disk');
  });

  it.each<[string, GadgetSpec]>([
    ['a disk without a medium', { name: 'D', kind: 'storage', udc: 0 }],
    ['a controller that is not there', { ...keyboard, udc: 10 }],
    ['a negative controller', { ...keyboard, udc: -1 }],
    ['a name that is a path', { ...keyboard, name: '../x' }],
    ['a disk of low speed', { name: 'D', kind: 'storage', udc: 0, file: '/f', speed: 'low' }],
    ['a serial without a product', { ...keyboard, product: null }],
    ['an empty serial', { ...keyboard, serial: '' }],
    ['a serial with NUL', { ...keyboard, serial: 'a\0b' }],
    ['a serial of 127 units', { ...keyboard, serial: 'x'.repeat(127) }],
  ])('cannot be %s', (_, spec) => {
    expect(() => makeScript(spec)).toThrow(RangeError);
  });

  it('can have a serial of 126 characters of three bytes', () => {
    expect(text({ ...keyboard, serial: '€'.repeat(126) }, 'strings/0x409/serialnumber')).toHaveLength(126);
  });

  it('is plugged, unplugged and removed by name', () => {
    expect(plugScript('KBD', 3)).toContain('dummy_udc.3 >/sys/kernel/config/usb_gadget/KBD/UDC');
    expect(unplugScript('KBD')).toContain('usb_gadget/KBD/UDC');
    expect(removeScript('KBD')).toMatch(/rmdir \/sys\/kernel\/config\/usb_gadget\/KBD$/);
  });
});
