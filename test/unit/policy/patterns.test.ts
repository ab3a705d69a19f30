// Patterns over ids and interfaces, and the conditions on sets of interfaces.
import { describe, expect, it } from 'vitest';
import { idPattern, idText } from '../../../wasm/device-policy/id-pattern.ts';
import { interfacePattern, interfaceText } from '../../../wasm/device-policy/interface-pattern.ts';
import { interfaceSet } from '../../../wasm/device-policy/interface-set.ts';
import { faces, interfaces } from './sample.ts';

const only = (pattern: string) => faces(pattern)[0] ?? expect.fail('no interface');

describe('an id pattern', () => {
  it.each(['046d:c52b', '046D:C52B', '046d:*', '*:c52b', '*:*', '04*:c5*b', '*d:c52*', '046d*:*c52b'])(
    '%s matches 046d:c52b',
    (pattern) => {
      expect(idPattern(pattern)('046d:c52b')).toBe(true);
    },
  );

  it.each(['046d:c52c', '046e:c52b', '04*:c5*c', 'c52b:046d', '*6e:*'])('%s does not match it', (pattern) => {
    expect(idPattern(pattern)('046d:c52b')).toBe(false);
  });

  it.each([
    '',
    ':',
    '*',
    '46d:c52b',
    '046d',
    '046d:c52',
    '046d:c52b:1',
    '0x46d:*',
    '046d:c52b*0',
    '046g:*',
    '046d:?',
  ])('of the form %j is refused', (pattern) => {
    expect(() => idPattern(pattern)).toThrow(Error);
  });

  it('refuses a hostile pattern at once', () => {
    const started = performance.now();
    expect(() => idPattern(`${'*'.repeat(100_000)}x:*`)).toThrow(Error);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('sees ids as four digits each', () => {
    expect(idText({ vendorId: 0x1, productId: 0xffff })).toBe('0001:ffff');
  });
});

describe('an interface pattern', () => {
  it.each(['08:06:50', '08:06:*', '08:*:*', '*:06:*', '*:*:50', '*:*:*'])(
    '%s matches 08:06:50',
    (pattern) => {
      expect(interfacePattern(pattern)(only('08:06:50'))).toBe(true);
    },
  );

  it.each(['08:06:51', '08:05:*', '09:*:*', '*:*:05'])('%s does not match it', (pattern) => {
    expect(interfacePattern(pattern)(only('08:06:50'))).toBe(false);
  });

  it('does not care about case', () => {
    expect(interfacePattern('E0:01:0A')(only('e0:01:0a'))).toBe(true);
  });

  it.each(['', '08', '08:06', '8:6:50', '08:06:5*', '08:06:50:00', 'xx:*:*', ' 08:06:50', '08:06:50\n'])(
    'of the form %j is refused',
    (pattern) => {
      expect(() => interfacePattern(pattern)).toThrow(Error);
    },
  );

  it('is what an interface looks like in a reason', () => {
    expect(interfaceText({ class: 3, subClass: 1, protocol: 255 })).toBe('03:01:ff');
  });
});

describe('a condition on the set of interfaces', () => {
  const headset = faces('01:01:00', '01:02:00', '03:00:00');

  it.each([
    ['one-of holds when one interface is listed', interfaces('one-of', '03:*:*', '08:*:*'), true],
    ['one-of fails when none is', interfaces('one-of', '08:*:*', '09:*:*'), false],
    ['all-of holds when each pattern finds an interface', interfaces('all-of', '01:01:*', '03:*:*'), true],
    ['all-of fails when a pattern finds none', interfaces('all-of', '01:*:*', '08:*:*'), false],
    ['none-of holds when no interface is listed', interfaces('none-of', '08:*:*', '09:*:*'), true],
    ['none-of fails when one is', interfaces('none-of', '08:*:*', '03:*:*'), false],
    ['equals holds when both sides are covered', interfaces('equals', '01:*:*', '03:00:00'), true],
    ['equals fails when an interface is left over', interfaces('equals', '01:*:*'), false],
    ['equals fails when a pattern is left over', interfaces('equals', '01:*:*', '03:*:*', '08:*:*'), false],
  ] as const)('%s', (_, test, holds) => {
    expect(interfaceSet(test)(headset)).toBe(holds);
  });

  it.each([
    ['one-of', false],
    ['all-of', false],
    ['none-of', true],
    ['equals', false],
  ] as const)('%s of a device without interfaces is %s', (operator, holds) => {
    expect(interfaceSet(interfaces(operator, '*:*:*'))([])).toBe(holds);
  });

  it.each(['one-of', 'all-of', 'none-of', 'equals'] as const)('%s needs a pattern', (operator) => {
    expect(() => interfaceSet(interfaces(operator))).toThrow(Error);
  });
});
