// From the agent's devices to verdicts, through the built component.
import { describe, expect, it } from 'vitest';
import { judgeDevices } from '../../../node/policy/judge-devices.ts';
import { parseRules } from '../../../node/policy/parse-rules.ts';
import { toPolicyDevice } from '../../../node/policy/policy-device.ts';
import { NO_RULES } from '../../../node/policy/rule-set.ts';
import type { UsbDevice } from '../../../node/usb/device.ts';
import type { NamedDevice } from '../../../node/usb/inventory.ts';
import { loadDevicePolicy } from '../../../wasm/host/device-policy.ts';
import { codeOf, rule, UNUSED } from './sample.ts';

const NODE = { name: 'worker-1', labels: { zone: 'a', 'node-role.kubernetes.io/lab': '' } };

function usbDevice(different: Partial<UsbDevice> = {}): UsbDevice {
  return {
    busId: '3-2.1',
    sysfsPath: '/sys/devices/pci0000:00/0000:00:14.0/usb3/3-2/3-2.1',
    portPath: '0000:00:14.0-2.1',
    busNumber: 3,
    deviceNumber: 7,
    vendorId: 0x0951,
    productId: 0x1666,
    bcdDevice: 0x0110,
    deviceClass: 0,
    deviceSubClass: 1,
    deviceProtocol: 2,
    manufacturer: 'Kingston',
    product: 'DataTraveler 3.0',
    serial: 'E0D55EA5',
    speed: 5000,
    configurationValue: 1,
    configurationCount: 1,
    interfaceCount: 1,
    interfaces: [
      { number: 0, class: 8, subClass: 6, protocol: 0x50, sysfsName: '3-2.1:1.0', driver: 'usb-storage' },
    ],
    node: { path: '/dev/bus/usb/003/007', type: 'c', major: 189, minor: 262 },
    driver: 'usb',
    isHub: false,
    imported: false,
    functions: [],
    ...different,
  };
}

function named(different: Partial<UsbDevice> = {}): NamedDevice {
  return {
    device: usbDevice(different),
    name: `usb-${'1'.repeat(40)}`,
    identity: '0951:1666:E0D55EA5',
    identityForm: 'serial',
    duplicateSerial: false,
    fingerprint: `sha256:${'ab'.repeat(32)}`,
  };
}

const policy = await loadDevicePolicy();

describe('a device in the words of the policy', () => {
  it('has all that is known about it', () => {
    const use = { mounts: ['sda1 on /mnt'], swaps: ['sda2'], holders: ['dm-0'], networkUp: ['eth1'] };
    expect(toPolicyDevice(named(), use)).toEqual({
      name: `usb-${'1'.repeat(40)}`,
      identity: '0951:1666:E0D55EA5',
      identityForm: 'serial',
      fingerprint: `sha256:${'ab'.repeat(32)}`,
      busId: '3-2.1',
      port: '0000:00:14.0-2.1',
      vendorId: 0x0951,
      productId: 0x1666,
      bcd: 0x0110,
      class: 0,
      subClass: 1,
      protocol: 2,
      speed: 50_000,
      manufacturer: 'Kingston',
      product: 'DataTraveler 3.0',
      serial: 'E0D55EA5',
      interfaces: [{ class: 8, subClass: 6, protocol: 0x50 }],
      isHub: false,
      imported: false,
      inUse: use,
    });
  });

  it.each([
    [1.5, 15],
    [12, 120],
    [480, 4_800],
    [5_000, 50_000],
    [20_000, 200_000],
  ])('of %s Mb/s has %s tenths', (speed, tenths) => {
    expect(toPolicyDevice(named({ speed }), UNUSED).speed).toBe(tenths);
  });

  it('lacks the texts that the device lacks', () => {
    const { manufacturer: _, product: __, serial: ___, ...device } = usbDevice();
    expect(Object.keys(toPolicyDevice({ ...named(), device }, UNUSED))).not.toEqual(
      expect.arrayContaining(['serial']),
    );
  });
});

describe('judging the devices of a node', () => {
  const judge = (rules: string, ...devices: NamedDevice[]) =>
    judgeDevices(
      policy,
      parseRules(rules, 'rules.yaml'),
      NODE,
      devices.map((named) => ({ named, use: UNUSED })),
    );

  it('offers what no rule blocks', () => {
    expect(judge('[]', named())).toEqual([
      { verdict: 'Offered', rule: 'default/offer', reason: 'no rule blocks it' },
    ]);
  });

  it('offers to the namespaces of a rule', () => {
    expect(judge('[{ name: lab, verdict: allow, id: "0951:*", namespaces: [lab] }]', named())).toEqual([
      { verdict: 'Offered', namespaces: ['lab'], rule: 'lab', reason: 'rule lab allows it for lab' },
    ]);
  });

  it('blocks by a rule for the label of the node', () => {
    const rules = `
- { name: elsewhere, verdict: block, node-labels: { zone: b } }
- { name: here, verdict: block, node-labels: { node-role.kubernetes.io/lab: "" } }`;
    expect(judge(rules, named())).toMatchObject([{ verdict: 'Blocked', rule: 'here' }]);
  });

  it('never offers what the node uses', () => {
    const use = { ...UNUSED, mounts: ['sda1 on /'] };
    expect(judgeDevices(policy, NO_RULES, NODE, [{ named: named(), use }])).toMatchObject([
      { verdict: 'Blocked', rule: 'built-in/in-use-by-node', reason: 'InUseByNode: mounted: sda1 on /' },
    ]);
  });

  it('gives one verdict a device, in their order', () => {
    const verdicts = judge('[]', named({ isHub: true }), named(), named({ imported: true }));
    expect(verdicts.map(({ rule }) => rule)).toEqual(['built-in/hub', 'default/offer', 'built-in/imported']);
  });

  it('gives none when a rule is bad', () => {
    const bad = { rules: [rule({ id: 'x' })], hash: '' };
    expect(codeOf(() => judgeDevices(policy, bad, NODE, [{ named: named(), use: UNUSED }]))).toBe(
      'BAD_POLICY',
    );
  });
});
