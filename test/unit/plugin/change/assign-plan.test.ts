// What is planned to assign a device and to take it back, and each reason not to.
import { describe, expect, it } from 'vitest';
import { planAssign } from '../../../../plugin/usb/change/assign-plan.ts';
import type { Plan } from '../../../../plugin/usb/change/plan.ts';
import { planUnassign } from '../../../../plugin/usb/change/unassign-plan.ts';
import type { UsbFacts } from '../../../../plugin/usb/facts.ts';
import { codeOf } from '../code-of.ts';
import { claimOf } from '../lab-facts.ts';
import {
  assignedFacts,
  condition,
  FINGERPRINT,
  nodeUsbDevice,
  STICK,
  stickFacts,
  stickRow,
  UNPLUGGED,
  vmOf,
} from './change-objects.ts';

const OTHER = `sha256:${'11'.repeat(32)}`;

function assign(facts: UsbFacts, approves = false, agreed = false): Plan {
  return planAssign({ row: stickRow(facts), namespace: 'lab', approves, agreed });
}

function unassign(facts: UsbFacts, agreed = false): Plan {
  return planUnassign(stickRow(facts), agreed);
}

function patchOf(plan: Plan): unknown {
  return plan.kind === 'steps'
    ? plan.steps.flatMap((step) => (step.kind === 'patch' ? step.patch : []))
    : plan.kind;
}

const changed = nodeUsbDevice('lab', {
  ready: condition('Ready', 'False', 'FingerprintChanged'),
  fingerprint: OTHER,
});

describe('assign', () => {
  it('tests that nobody else was faster', () => {
    expect(patchOf(assign(stickFacts()))).toEqual([
      { op: 'test', path: '/spec/assignedNamespace', value: '' },
      { op: 'add', path: '/spec/assignedNamespace', value: 'lab' },
    ]);
  });

  it('tests the version where the old value is absent', () => {
    const { assignedNamespace: _, ...spec } = nodeUsbDevice().spec;
    const facts = stickFacts({ nodeUsbDevices: [{ ...nodeUsbDevice(), spec }] });
    expect(patchOf(assign(facts))).toContainEqual({
      op: 'test',
      path: '/metadata/resourceVersion',
      value: '7',
    });
  });

  it('drops what was approved for a former assignment', () => {
    const facts = stickFacts({ nodeUsbDevices: [nodeUsbDevice('', { spec: { fingerprint: OTHER } })] });
    expect(patchOf(assign(facts))).toContainEqual({ op: 'add', path: '/spec/fingerprint', value: '' });
  });

  it('has nothing to do for the namespace that has the device', () => {
    expect(assign(assignedFacts()).kind).toBe('done');
  });

  it('waits for an assignment that was begun and is not done', () => {
    const done = nodeUsbDevice('lab');
    const conditions = [condition('Assigned', 'False', 'InProgress')];
    const begun = { ...done, status: { ...done.status, conditions } };
    const plan = assign(assignedFacts('lab', { nodeUsbDevices: [begun], usbDevices: [] }));
    expect(plan).toMatchObject({ kind: 'steps', steps: [{ kind: 'wait' }] });
  });

  it('does not take what a pod of the same namespace holds', () => {
    const facts = stickFacts({ claims: [claimOf('disk', 'worker-1', STICK, ['job'])] });
    expect(assign(facts).kind).toBe('steps');
  });

  it('approves the device that was seen, and no other', () => {
    const facts = assignedFacts('lab', { nodeUsbDevices: [changed] });
    expect(patchOf(assign(facts, true))).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'test', path: '/status/fingerprint', value: OTHER },
      { op: 'add', path: '/spec/fingerprint', value: OTHER },
    ]);
  });

  it('approves and assigns in one patch', () => {
    expect(patchOf(assign(stickFacts(), true))).toContainEqual({
      op: 'add',
      path: '/spec/fingerprint',
      value: FINGERPRINT,
    });
  });

  it('asks before it assigns a device that is known by its port only', () => {
    const facts = stickFacts({ device: { identityForm: 'port' } });
    expect(assign(facts)).toMatchObject({ kind: 'question', unasked: { code: 'USAGE' } });
    expect(assign(facts, false, true).kind).toBe('steps');
    expect(assign(assignedFacts('lab', { device: { identityForm: 'port' } })).kind).toBe('done');
  });

  it('has nothing to approve when the approved device is there', () => {
    expect(assign(assignedFacts(), true).kind).toBe('done');
  });
});

describe('assign refuses', () => {
  const cases: Record<string, [code: string, facts: UsbFacts]> = {
    'to take a device from another namespace': ['CONFLICT', assignedFacts('other')],
    'a device that is blocked': ['DEVICE_BLOCKED', stickFacts({ device: { verdict: 'Blocked' } })],
    'a device that a pod of another namespace holds': [
      'DEVICE_BUSY',
      stickFacts({
        claims: [
          { ...claimOf('disk', 'worker-1', STICK), metadata: { name: 'disk', namespace: 'other', uid: 'u' } },
        ],
      }),
    ],
    'a device that changed, until that is approved': [
      'DEVICE_CHANGED',
      assignedFacts('lab', { nodeUsbDevices: [changed] }),
    ],
    'a device without a NodeUSBDevice': ['NOT_FOUND', stickFacts({ nodeUsbDevices: [] })],
  };
  for (const [what, [code, facts]] of Object.entries(cases)) {
    it(what, () => expect(codeOf(() => assign(facts))).toBe(code));
  }

  it('to approve what is not plugged in', () => {
    expect(codeOf(() => assign(assignedFacts('lab', { statuses: UNPLUGGED }), true))).toBe(
      'DEVICE_NOT_READY',
    );
  });

  it('with the two commands that move the device', () => {
    expect(() => assign(assignedFacts('other'))).toThrowError(
      expect.objectContaining({
        hint: expect.stringMatching(/usb unassign usb-57c1\w+\n.*usb assign usb-57c1\w+ -n lab$/),
      }),
    );
  });
});

describe('unassign', () => {
  it('tests who has the device and drops what was approved for it', () => {
    const facts = assignedFacts('lab', {
      nodeUsbDevices: [nodeUsbDevice('lab', { spec: { fingerprint: OTHER } })],
    });
    expect(patchOf(unassign(facts))).toEqual([
      { op: 'test', path: '/spec/assignedNamespace', value: 'lab' },
      { op: 'add', path: '/spec/assignedNamespace', value: '' },
      { op: 'add', path: '/spec/fingerprint', value: '' },
    ]);
  });

  it('has nothing to do for a free device', () => {
    expect(unassign(stickFacts()).kind).toBe('done');
  });

  it.each([
    [
      'a VM that has it',
      assignedFacts('lab', { vms: [vmOf('web', { list: [STICK], attached: [STICK] })] }),
      'vm/web.lab',
    ],
    ['a VM that asks for it', assignedFacts('lab', { vms: [vmOf('web', { list: [STICK] })] }), 'vm/web.lab'],
    ['a pod', assignedFacts('lab', { claims: [claimOf('disk', 'worker-1', STICK, ['job'])] }), 'pod lab/job'],
    ['a claim', assignedFacts('lab', { claims: [claimOf('disk', 'worker-1', STICK)] }), 'claim lab/disk'],
  ])('asks when it is used by %s', (_what, facts, user) => {
    expect(unassign(facts)).toMatchObject({
      kind: 'question',
      question: expect.stringContaining(user),
      unasked: { code: 'USAGE', hint: expect.stringContaining('--yes') },
    });
    expect(unassign(facts, true).kind).toBe('steps');
  });

  it('takes back a device that is not plugged in', () => {
    expect(unassign(assignedFacts('lab', { statuses: UNPLUGGED })).kind).toBe('steps');
  });
});
