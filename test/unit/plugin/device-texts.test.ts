// Words for speeds, classes, names, holders and advice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adviceFor } from '../../../plugin/usb/advice.ts';
import { className, deviceClassNames } from '../../../plugin/usb/class-name.ts';
import { joinDevices } from '../../../plugin/usb/device-row.ts';
import { tableColumns, usedBy, wideColumns } from '../../../plugin/usb/row-columns.ts';
import { shortNames } from '../../../plugin/usb/short-name.ts';
import { speedName, speedText } from '../../../plugin/usb/speed-text.ts';
import { DISK, deviceOf, labFacts, NOW, usbName } from './lab-facts.ts';

describe('speedText', () => {
  it.each([
    [1.5, '1.5 Mb/s', 'low speed'],
    [12, '12 Mb/s', 'full speed'],
    [480, '480 Mb/s', 'high speed'],
    [5000, '5 Gb/s', 'SuperSpeed'],
    [10_000, '10 Gb/s', 'SuperSpeed+'],
    [20_000, '20 Gb/s', 'SuperSpeed+'],
  ])('of %d Mb/s is %s, %s', (speed, text, name) => {
    expect([speedText(speed), speedName(speed)]).toEqual([text, name]);
  });

  it('admits that a speed is not known', () => {
    expect([speedText(0), speedText(Number.NaN)]).toEqual(['<unknown>', '<unknown>']);
  });
});

describe('deviceClassNames', () => {
  const withInterfaces = (own: string, ...classes: string[]) =>
    deviceClassNames(
      deviceOf('x', {
        class: own,
        interfaces: classes.map((one, number) => ({ number, class: one, subClass: '00', protocol: '00' })),
      }),
    );

  it('takes the class of the device when it says something', () => {
    expect(withInterfaces('ff', '08')).toBe('Vendor Specific');
  });

  it('takes those of the interfaces, each once, when it does not', () => {
    expect(withInterfaces('00', '08')).toBe('Mass Storage');
    expect(withInterfaces('ef', '0e', '0e', '01')).toBe('Video, Audio');
    expect(withInterfaces('ef')).toBe('Miscellaneous');
  });

  it('shows a code without a name as it is', () => {
    expect(className('7f')).toBe('class 7f');
  });
});

describe('shortNames', () => {
  it('keeps seven digits, and more where names begin alike', () => {
    expect(shortNames([usbName('aaaa'), usbName('bbbb')])(usbName('aaaa'))).toBe('usb-aaaa012');
    const alike = [usbName('123456789a'), usbName('123456789b')];
    expect(alike.map(shortNames(alike))).toEqual(['usb-123456789a', 'usb-123456789b']);
  });

  it('shortens one name, and none, without trouble', () => {
    expect(shortNames([DISK])(DISK)).toBe('usb-a1f3012');
    expect(shortNames([])(DISK)).toBe('usb-a1f3012');
    expect(shortNames([DISK, DISK])(DISK)).toBe('usb-a1f3012');
  });

  it('gives beginnings that only one name has', () => {
    const digits = fc.string({ unit: fc.constantFrom('a', 'b', '0'), minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(fc.uniqueArray(digits, { minLength: 1, maxLength: 12 }), (all) => {
        const names = all.map((hash) => `usb-${hash}`);
        const short = shortNames(names);
        for (const name of names) expect(names.filter((one) => one.startsWith(short(name)))).toEqual([name]);
      }),
    );
  });
});

describe('columns', () => {
  it('of the wide table begin with those of the table', () => {
    const headers = wideColumns(NOW).map(({ header }) => header);
    expect(headers.slice(0, 10)).toEqual(tableColumns(({ name }) => name, NOW).map(({ header }) => header));
    expect(headers.slice(10)).toEqual(['BUSID', 'PORT', 'CLASS', 'TRANSPORT', 'RULE']);
  });

  it('name the user in the words that kubectl takes', () => {
    const users = joinDevices(labFacts(), NOW).map(usedBy);
    expect(new Set(users)).toEqual(new Set(['<none>', 'pod/web', 'pod/licence', 'claim/serial']));
    const claim = { namespace: 'lab', name: 'shared', uid: 'u' };
    const pods = ['a', 'b'].map((name) => ({ name, uid: name }));
    const row = { name: 'x', node: 'n', state: 'Attached' as const };
    expect(usedBy({ ...row, hold: { node: 'n', device: 'x', claim, pods } })).toBe('pod/a,pod/b');
    expect(usedBy({ ...row, hold: { node: 'n', device: 'x', pods: [], consumer: '10.0.0.9' } })).toBe(
      'node/10.0.0.9',
    );
  });
});

describe('adviceFor', () => {
  it('says for every state whether the device is usable and what comes next', () => {
    for (const row of joinDevices(labFacts(), NOW)) {
      const { usable, next } = adviceFor(row);
      expect(usable).toMatch(row.state === 'Available' ? /^yes/ : /^(no|not yet|in use)/);
      expect(next).not.toBe('');
      expect(`${usable} ${next}`).not.toContain('undefined');
    }
  });

  it.each([
    ['built-in/in-use-by-node', /unmount/],
    ['built-in/hub', /never/],
    ['default/network', /allow/],
    ['no-cameras', /no-cameras/],
  ])('tells what rule %s needs', (rule, next) => {
    const device = deviceOf('x', { verdict: 'Blocked', rule });
    expect(adviceFor({ name: 'x', node: 'n', state: 'Blocked', device }).next).toMatch(next);
  });
});
