// Judging devices, asked of the built component.
import { describe, expect, it } from 'vitest';
import { type Decision, type Device, loadDevicePolicy, type Rule } from '../../../wasm/host/device-policy.ts';
import { codeOf, device, faces, interfaces, rule, UNUSED, WORKER } from './sample.ts';

const policy = await loadDevicePolicy();
const ALLOW_ALL = rule({ name: 'allow-all', verdict: 'allow' });

function judge(different: Partial<Device>, ...rules: Rule[]): Decision {
  const [decision] = policy.judge([device(different)], rules, WORKER);
  return decision ?? expect.fail('no decision');
}

/** Whether a blocking rule with these conditions blocks the device. */
function blocks(conditions: Partial<Rule>, different: Partial<Device> = {}): boolean {
  return judge(different, rule(conditions)).rule === 'given';
}

describe('a built-in rule', () => {
  it.each<[string, Partial<Device>, string]>([
    ['a hub that sysfs calls one', { isHub: true }, 'built-in/hub'],
    ['a hub by its device class', { class: 9 }, 'built-in/hub'],
    ['a hub by one of its interfaces', { interfaces: faces('03:00:00', '09:00:01') }, 'built-in/hub'],
    ['a device of another node', { imported: true }, 'built-in/imported'],
    ['a mounted disk', { inUse: { ...UNUSED, mounts: ['sda1 on /mnt'] } }, 'built-in/in-use-by-node'],
    ['swap', { inUse: { ...UNUSED, swaps: ['sda2'] } }, 'built-in/in-use-by-node'],
    [
      'a disk below device mapper',
      { inUse: { ...UNUSED, holders: ['sda3 by dm-0'] } },
      'built-in/in-use-by-node',
    ],
    ['a network card that is up', { inUse: { ...UNUSED, networkUp: ['eth1'] } }, 'built-in/in-use-by-node'],
  ])('blocks %s, whatever a given rule allows', (_, different, name) => {
    expect(judge(different, ALLOW_ALL)).toMatchObject({ verdict: 'blocked', rule: name, namespaces: [] });
  });

  it('comes before a given rule that blocks, so that the reason is the stronger one', () => {
    expect(judge({ isHub: true }, rule()).rule).toBe('built-in/hub');
  });

  it('names all that the node uses', () => {
    const inUse = {
      mounts: ['sda1 on /', 'sda2 on /var'],
      swaps: ['sda3'],
      holders: ['md0'],
      networkUp: ['eth1'],
    };
    expect(judge({ inUse }).reason).toBe(
      'InUseByNode: mounted: sda1 on /, sda2 on /var; swap: sda3; held: md0; network up: eth1',
    );
  });
});

describe('a default rule', () => {
  it.each([
    ['03:01:01', 'default/boot-keyboard-mouse'],
    ['03:01:02', 'default/boot-keyboard-mouse'],
    ['02:06:00', 'default/network'],
    ['02:0a:00', 'default/network'],
    ['02:0c:07', 'default/network'],
    ['02:0d:00', 'default/network'],
    ['02:0e:00', 'default/network'],
    ['02:02:ff', 'default/network'],
    ['e0:01:03', 'default/network'],
    ['ef:01:01', 'default/network'],
    ['ef:04:01', 'default/network'],
  ])('blocks interface %s as %s, and a given rule can allow it', (face, name) => {
    const interfaces = faces('ff:00:00', face);
    expect(judge({ interfaces })).toMatchObject({ verdict: 'blocked', rule: name });
    expect(judge({ interfaces }).reason).toContain(face);
    expect(judge({ interfaces }, ALLOW_ALL)).toMatchObject({ verdict: 'offered', rule: 'allow-all' });
  });

  it.each([
    ['a serial line without protocol', '02:02:00'],
    ['a serial line with AT commands', '02:02:01'],
    ['the data side of a serial line', '0a:00:00'],
    ['Bluetooth', 'e0:01:01'],
    ['a security key (HID, no boot protocol)', '03:00:00'],
    ['HID with the boot sub-class alone', '03:01:00'],
    ['a memory stick', '08:06:50'],
    ['a camera', '0e:01:00'],
    ['a card reader', '0b:00:00'],
    ['a vendor-specific device', 'ff:ff:ff'],
    ['an interface association', 'ef:02:01'],
  ])('offers %s', (_, face) => {
    expect(judge({ interfaces: faces(face) })).toMatchObject({
      verdict: 'offered',
      rule: 'default/offer',
      namespaces: [],
    });
  });

  it('offers a device of which no interface is known', () => {
    expect(judge({ interfaces: [] }).rule).toBe('default/offer');
  });

  it('blocks a keyboard that is a memory stick, too', () => {
    expect(judge({ interfaces: faces('08:06:50', '03:01:01') }).rule).toBe('default/boot-keyboard-mouse');
  });
});

describe('a given rule', () => {
  it('without conditions matches every device', () => {
    expect(blocks({})).toBe(true);
  });

  it('blocks with its name in the reason', () => {
    expect(judge({}, rule({ name: 'no-sticks' }))).toEqual({
      device: 0,
      verdict: 'blocked',
      namespaces: [],
      rule: 'no-sticks',
      reason: 'rule no-sticks blocks it',
    });
  });

  it('offers to all without namespaces', () => {
    expect(judge({}, ALLOW_ALL)).toMatchObject({ verdict: 'offered', namespaces: [], rule: 'allow-all' });
  });

  it('offers to its namespaces alone, in the order of the rule', () => {
    expect(judge({}, rule({ verdict: 'allow', namespaces: ['lab', 'ci'] }))).toEqual({
      device: 0,
      verdict: 'offered-to',
      namespaces: ['lab', 'ci'],
      rule: 'given',
      reason: 'rule given allows it for lab, ci',
    });
  });

  it('decides alone when it is the first that matches', () => {
    const rules = [
      rule({ name: 'other', id: '1234:*' }),
      rule({ name: 'first', id: '0951:*', verdict: 'allow' }),
      rule({ name: 'second', id: '0951:1666' }),
    ];
    expect(judge({}, ...rules).rule).toBe('first');
    expect(judge({}, ...rules.toReversed()).rule).toBe('second');
  });

  it.each<[string, Partial<Rule>, Partial<Rule>]>([
    ['id', { id: '0951:*' }, { id: '0952:*' }],
    ['serial', { serial: 'E0D5*' }, { serial: 'e0d5*' }],
    ['product', { product: 'DataTraveler *' }, { product: 'DataTraveler' }],
    ['hash', { hash: `sha256:${'ab'.repeat(32)}` }, { hash: 'sha256:00*' }],
    ['via-port', { viaPort: '0000:00:14.0-2.*' }, { viaPort: '0000:00:14.0-3.*' }],
    ['node', { node: 'worker-*' }, { node: 'master-*' }],
  ])('can ask for %s', (_, matching, missing) => {
    expect(blocks(matching)).toBe(true);
    expect(blocks(missing)).toBe(false);
  });

  it('can ask for interfaces, all conditions at once', () => {
    const withInterface = [interfaces('one-of', '08:*:*'), interfaces('none-of', '03:*:*')];
    expect(blocks({ withInterface })).toBe(true);
    expect(blocks({ withInterface }, { interfaces: faces('08:06:50', '03:00:00') })).toBe(false);
  });

  it('can ask for labels of the node, all of them', () => {
    expect(blocks({ nodeLabels: [{ key: 'zone', value: '*' }] })).toBe(true);
    expect(blocks({ nodeLabels: [{ key: 'zone', value: 'b' }] })).toBe(false);
    expect(blocks({ nodeLabels: [{ key: 'rack', value: '*' }] })).toBe(false);
    expect(
      blocks({
        nodeLabels: [
          { key: 'zone', value: 'a' },
          { key: 'rack', value: '*' },
        ],
      }),
    ).toBe(false);
  });

  it('asks for a label with an empty value by the empty glob', () => {
    const node = { name: 'worker-1', labels: [{ key: 'node-role.kubernetes.io/lab', value: '' }] };
    const rules = [rule({ nodeLabels: [{ key: 'node-role.kubernetes.io/lab', value: '' }] })];
    expect(policy.judge([device()], rules, node)[0]?.rule).toBe('given');
  });

  it('matches only when all its conditions hold', () => {
    expect(blocks({ id: '0951:*', serial: 'E0*', node: 'worker-1' })).toBe(true);
    expect(blocks({ id: '0951:*', serial: 'E0*', node: 'worker-2' })).toBe(false);
  });

  it.each(['serial', 'product'] as const)('tells a device without %s by the empty glob', (key) => {
    const { [key]: _, ...nameless } = device();
    const ask = (pattern: string) =>
      policy.judge([nameless], [rule({ [key]: pattern })], WORKER)[0]?.rule === 'given';
    expect([ask(''), ask('*')]).toEqual([true, false]);
    expect([blocks({ [key]: '' }), blocks({ [key]: '*' })]).toEqual([false, true]);
    expect([blocks({ [key]: '' }, { [key]: '' }), blocks({ [key]: '*' }, { [key]: '' })]).toEqual([
      true,
      false,
    ]);
  });
});

describe('judging', () => {
  it('answers for each device, in their order', () => {
    const devices = [device(), device({ isHub: true }), device({ interfaces: faces('02:06:00') })];
    expect(policy.judge(devices, [], WORKER).map(({ device, rule }) => [device, rule])).toEqual([
      [0, 'default/offer'],
      [1, 'built-in/hub'],
      [2, 'default/network'],
    ]);
  });

  it('of no devices answers nothing', () => {
    expect(policy.judge([], [rule()], WORKER)).toEqual([]);
  });

  it.each<[string, Rule[]]>([
    ['an empty name', [rule({ name: '' })]],
    ['a built-in name', [rule({ name: 'built-in/hub' })]],
    ['a default name', [rule({ name: 'default/mine' })]],
    ['a name used twice', [rule(), rule()]],
    ['a bad id', [rule({ id: '951:1666' })]],
    ['a bad interface pattern', [rule({ withInterface: [interfaces('one-of', '8:6:50')] })]],
    ['no interface pattern', [rule({ withInterface: [interfaces('none-of')] })]],
    ['namespaces on a block', [rule({ namespaces: ['lab'] })]],
    ['a bad rule of another node', [rule({ node: 'elsewhere', id: 'x' })]],
    ['a bad rule after good ones', [ALLOW_ALL, rule({ id: 'x' })]],
  ])('refuses %s with BAD_POLICY', (_, rules) => {
    expect(codeOf(() => policy.judge([device()], rules, WORKER))).toBe('BAD_POLICY');
    expect(codeOf(() => policy.judge([], rules, WORKER))).toBe('BAD_POLICY');
  });

  it('says which rule is bad', () => {
    expect(() => policy.judge([], [ALLOW_ALL, rule({ id: 'x' })], WORKER)).toThrow(
      /^rule 2 "given": bad id "x"/,
    );
  });
});
