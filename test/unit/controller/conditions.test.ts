// Conditions: what each of them says, and when their time moves.
import { describe, expect, it } from 'vitest';
import { assignedCondition } from '../../../node/controller/assigned-condition.ts';
import { attachedCondition } from '../../../node/controller/attached-condition.ts';
import {
  conditionOf,
  nextConditions,
  timestamp,
  type WantedCondition,
} from '../../../node/controller/conditions.ts';
import { pinnedFingerprint } from '../../../node/controller/fingerprint-pin.ts';
import type { DeviceFacts } from '../../../node/controller/plugged-devices.ts';
import { readyCondition } from '../../../node/controller/ready-condition.ts';
import {
  DIGITS_B,
  node,
  nodeUsbDevice,
  nodeWithPorts,
  PRINT_A,
  PRINT_B,
  START,
  virtualMachine,
} from '../../support/controller/objects.ts';

const device: DeviceFacts = {
  attributes: { name: 'usb-1', speed: 480 },
  nodeName: 'a',
  fingerprint: PRINT_A,
};
const text = ({ type, status, reason }: WantedCondition) => `${type}=${status}/${reason}`;

describe('nextConditions', () => {
  const wanted = (status: 'True' | 'False', reason = 'Ready', message = '') => [
    { type: 'Ready', status, reason, message },
  ];

  it('begins with the time of now, in whole seconds', () => {
    expect(nextConditions(undefined, wanted('True'), 3, START + 1_900)).toEqual([
      {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:01Z',
        observedGeneration: 3,
      },
    ]);
  });

  it('moves the time with the status only, not with reason, message or generation', () => {
    const first = nextConditions(undefined, wanted('False', 'NotFound'), 1, START);
    const same = nextConditions(first, wanted('False', 'NodeNotReady', 'news'), 2, START + 60_000);
    expect(same).toMatchObject([
      {
        reason: 'NodeNotReady',
        message: 'news',
        observedGeneration: 2,
        lastTransitionTime: timestamp(START),
      },
    ]);
    expect(nextConditions(same, wanted('True'), 2, START + 90_000)).toMatchObject([
      { lastTransitionTime: timestamp(START + 90_000) },
    ]);
  });

  it('drops conditions that are not wanted any more', () => {
    const first = nextConditions(
      undefined,
      [...wanted('True'), { ...wanted('True')[0], type: 'Old' } as never],
      1,
      START,
    );
    expect(nextConditions(first, wanted('True'), 1, START)).toHaveLength(1);
  });

  it('finds the first of two of one type', () => {
    const [one] = nextConditions(undefined, wanted('True'), 1, START);
    const [two] = nextConditions(undefined, wanted('False'), 1, START);
    expect(one && two && conditionOf([one, two], 'Ready')?.status).toBe('True');
    expect(conditionOf(undefined, 'Ready')).toBeUndefined();
  });
});

describe('readyCondition', () => {
  it('says what is wrong, the worst first', () => {
    const dead = node('a', { ready: false });
    const cases: [WantedCondition, string][] = [
      [readyCondition(undefined, node('a'), PRINT_A), 'Ready=False/NotFound'],
      [readyCondition(device, undefined, PRINT_B), 'Ready=False/FingerprintChanged'],
      [readyCondition(device, dead, PRINT_B), 'Ready=False/FingerprintChanged'],
      [readyCondition(device, node('a'), PRINT_B), 'Ready=False/FingerprintChanged'],
      [readyCondition(device, undefined, PRINT_A), 'Ready=False/NodeNotReady'],
      [readyCondition(device, dead, PRINT_A), 'Ready=False/NodeNotReady'],
      [readyCondition(device, node('a'), PRINT_A), 'Ready=True/Ready'],
      [readyCondition(device, node('a'), undefined), 'Ready=True/Ready'],
    ];
    for (const [condition, wanted] of cases) expect(text(condition)).toBe(wanted);
  });

  it('tells both fingerprints', () => {
    const { message } = readyCondition(device, node('a'), PRINT_B);
    expect(message).toContain(PRINT_A);
    expect(message).toContain(PRINT_B);
  });

  it('takes a device without a fingerprint, which agents of former versions publish', () => {
    const { fingerprint: _, ...plain } = device;
    expect(text(readyCondition(plain, node('a'), PRINT_B))).toBe('Ready=True/Ready');
  });
});

describe('pinnedFingerprint', () => {
  const pinned = { status: { pinnedFingerprint: PRINT_B } };

  it('is that of the first device that is seen with the assignment', () => {
    expect(pinnedFingerprint(nodeUsbDevice('x', { assignedNamespace: 'lab' }), PRINT_A)).toBe(PRINT_A);
    expect(pinnedFingerprint(nodeUsbDevice('x', { assignedNamespace: 'lab' }), undefined)).toBeUndefined();
  });

  it('stays when another device comes', () => {
    expect(pinnedFingerprint(nodeUsbDevice('x', { assignedNamespace: 'lab' }, pinned), PRINT_A)).toBe(
      PRINT_B,
    );
  });

  it('is what an administrator approved, with or without the prefix', () => {
    for (const fingerprint of [PRINT_B, DIGITS_B]) {
      const spec = { assignedNamespace: 'lab', fingerprint };
      expect(pinnedFingerprint(nodeUsbDevice('x', spec), PRINT_A)).toBe(PRINT_B);
    }
  });

  it('goes with the assignment', () => {
    expect(pinnedFingerprint(nodeUsbDevice('x', {}, pinned), PRINT_A)).toBeUndefined();
    expect(pinnedFingerprint(nodeUsbDevice('x', { fingerprint: PRINT_A }), PRINT_A)).toBeUndefined();
  });
});

describe('assignedCondition', () => {
  it('tells the four states apart', () => {
    const holder = { namespace: 'shop', vm: 'vm' };
    expect(text(assignedCondition('', false, undefined))).toBe('Assigned=False/Available');
    expect(assignedCondition('lab', false, undefined)).toMatchObject({
      status: 'False',
      reason: 'Available',
      message: 'namespace lab does not exist',
    });
    expect(assignedCondition('lab', true, holder)).toMatchObject({
      status: 'False',
      reason: 'InProgress',
      message: 'virtual machine vm of namespace shop still has it',
    });
    expect(text(assignedCondition('lab', true, undefined))).toBe('Assigned=True/Assigned');
  });
});

describe('attachedCondition', () => {
  const full = nodeWithPorts('b', { highSpeed: 8, superSpeed: 0 });
  const wants = (nodeName?: string) =>
    virtualMachine('lab', 'vm', ['usb-1'], nodeName === undefined ? {} : { nodeName });
  const attached = (
    vms: Parameters<typeof attachedCondition>[2],
    nodes = [node('a'), full],
    facts: DeviceFacts | undefined = device,
  ) =>
    text(
      attachedCondition('usb-1', facts, vms, new Map(nodes.map((each) => [each.metadata.name ?? '', each]))),
    );

  it('is false for a device that nobody wants, or that is only wanted', () => {
    expect(attached([])).toBe('Attached=False/Available');
    expect(attached([wants()])).toBe('Attached=False/Available');
    expect(attached([wants('a')])).toBe('Attached=False/Available');
  });

  it('is true when a machine says so, even when another waits without a port', () => {
    const has = virtualMachine('lab', 'other', [], { attached: ['usb-1'], nodeName: 'a' });
    expect(attached([wants('b'), has])).toBe('Attached=True/AttachedToVirtualMachine');
  });

  it('tells that the node of the machine has no free port of the speed of the device', () => {
    expect(attached([wants('b')])).toBe('Attached=False/NoFreeUSBIPPort');
    const fast = { ...device, attributes: { ...device.attributes, speed: 5_000 } };
    expect(attached([wants('b')], [full], fast)).toBe('Attached=False/Available');
    const noFast = nodeWithPorts('b', { highSpeed: 0, superSpeed: 8 });
    expect(attached([wants('b')], [noFast], fast)).toBe('Attached=False/NoFreeUSBIPPort');
  });

  it('needs no port on the node of the device, and takes no node as full that does not tell', () => {
    const nodes = [nodeWithPorts('a', { highSpeed: 8, superSpeed: 8 }), node('b')];
    expect(attached([wants('a')], nodes)).toBe('Attached=False/Available');
    expect(attached([wants('b')], nodes)).toBe('Attached=False/Available');
    expect(attached([wants('nowhere')], nodes)).toBe('Attached=False/Available');
  });

  it('treats devices of 1.5 and 12 Mb/s as those of 480', () => {
    for (const speed of [1, 12]) {
      const slow = { ...device, attributes: { ...device.attributes, speed } };
      expect(attached([wants('b')], [full], slow)).toBe('Attached=False/NoFreeUSBIPPort');
    }
  });
});
