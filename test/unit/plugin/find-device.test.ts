// From a person's words to one device, through the real policy.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Select } from '../../../plugin/run/host.ts';
import { loadSelect } from '../../../plugin/run/load-select.ts';
import { candidateOf } from '../../../plugin/usb/candidate.ts';
import { joinDevices } from '../../../plugin/usb/device-row.ts';
import { findDevice } from '../../../plugin/usb/find-device.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { codeOf } from './code-of.ts';
import { ADAPTER, CAMERA, DISK, KEYBOARD, LOST, labFacts, NOW, PRINTER, TWIN } from './lab-facts.ts';

let select: Select;
beforeAll(async () => {
  select = await loadSelect();
});

const rows = joinDevices(labFacts(), NOW);
const find = (selector: string) => findDevice(selector, rows, select).name;

function hintFor(selector: string): string {
  try {
    find(selector);
  } catch (error) {
    if (error instanceof TypedError) return error.hint ?? '';
  }
  throw new Error('it was found');
}

describe('findDevice', () => {
  it.each([
    ['the whole name', DISK, DISK],
    ['the beginning of a name', 'usb-a1f3', DISK],
    ['vid:pid', '0951:1666', DISK],
    ['vid:pid in capitals', '046D:C31C', KEYBOARD],
    ['a serial number', '8E2D1F3A', CAMERA],
    ['node and bus id', 'worker-2/1-5', TWIN],
    ['the whole product text', 'datatraveler 3.0', DISK],
    ['words of the product', 'webcam hd', CAMERA],
    ['text of another script', '打印机', PRINTER],
    ['the name of a device that is not plugged', 'usb-0777', LOST],
  ])('takes %s', (_, selector, name) => {
    expect(find(selector)).toBe(name);
  });

  it('refuses to choose among several and lists them all', () => {
    expect(codeOf(() => find('usb-d48'))).toBe('DEVICE_NOT_FOUND');
    expect(codeOf(() => find('FT232R'))).toBe('AMBIGUOUS');
    for (const name of [ADAPTER, TWIN]) expect(hintFor('A50285BI')).toContain(name);
    expect(hintFor('A50285BI')).toContain('worker-2  FT232R USB UART');
  });

  it('names what is near to a selector that matches nothing', () => {
    expect(codeOf(() => find('0951:1667'))).toBe('DEVICE_NOT_FOUND');
    expect(hintFor('0951:1667')).toContain(DISK);
    expect(hintFor('datatravler')).toContain(DISK);
    expect(hintFor('worker-2/1-6')).toContain(TWIN);
    expect(hintFor('usb-a1f9')).toContain(DISK);
  });

  it('points to the list when nothing is near', () => {
    expect(hintFor('completely different')).toContain('kubectl virt usb list');
    expect(codeOf(() => findDevice('x', [], select))).toBe('DEVICE_NOT_FOUND');
  });

  it('never passes escapes of a device on', () => {
    expect(hintFor('打印机X')).toContain('\\x1b');
    expect(hintFor('打印机X')).not.toContain('\u001b');
  });

  it('refuses an empty selector', () => {
    expect(codeOf(() => find('  '))).toBe('BAD_INPUT');
  });
});

describe('candidateOf', () => {
  it('gives the policy numbers and leaves out what is missing', () => {
    const [row] = rows.filter(({ name }) => name === KEYBOARD);
    expect(row && candidateOf(row)).toEqual({
      name: KEYBOARD,
      node: 'worker-1',
      busId: '3-3',
      vendorId: 0x046d,
      productId: 0xc31c,
      product: 'USB Keyboard',
    });
  });
});
