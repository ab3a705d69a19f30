// What is planned to attach a device, and each reason not to.
import { describe, expect, it } from 'vitest';
import { MOST_DEVICES, planAttach } from '../../../../plugin/usb/change/attach-plan.ts';
import type { Plan } from '../../../../plugin/usb/change/plan.ts';
import type { UsbFacts } from '../../../../plugin/usb/facts.ts';
import type { VirtualMachine } from '../../../../proto/api/virtual-machine.ts';
import { codeOf } from '../code-of.ts';
import { claimOf, nodeOf } from '../lab-facts.ts';
import {
  assignedFacts,
  condition,
  nodeUsbDevice,
  STICK,
  stickFacts,
  stickRow,
  UNPLUGGED,
  usbDevice,
  vmOf,
} from './change-objects.ts';

const web = vmOf('web', { list: [] });

function plan(
  facts: UsbFacts,
  vm: VirtualMachine = web,
  given: { mayAssign?: boolean; waits?: boolean; seesAssignments?: boolean } = {},
): Plan {
  return planAttach({
    row: stickRow(facts),
    vm,
    mayAssign: false,
    seesAssignments: true,
    waits: true,
    ...given,
  });
}

function stepsOf(result: Plan): string[] {
  return result.kind === 'steps'
    ? result.steps.map((step) => step.about.replace(STICK, 'it'))
    : [result.kind];
}

function patchOf(result: Plan): unknown {
  return result.kind === 'steps'
    ? result.steps.flatMap((step) => (step.kind === 'patch' ? [step.patch] : []))
    : [];
}

describe('steps', () => {
  it('of an assigned device are the list of the VM and a wait', () => {
    expect(stepsOf(plan(assignedFacts()))).toEqual([
      'add it to the list of vm/web.lab',
      'wait until it is attached to vm/web.lab',
    ]);
  });

  it('test the whole list as it was seen before they add to it', () => {
    expect(patchOf(plan(assignedFacts(), vmOf('web', { list: ['usb-other'] })))).toEqual([
      [
        { op: 'test', path: '/spec/usbDevices', value: [{ name: 'usb-other' }] },
        { op: 'add', path: '/spec/usbDevices/-', value: { name: STICK } },
      ],
    ]);
  });

  it('make the list when there is none, if the VM is still the same', () => {
    expect(patchOf(plan(assignedFacts(), vmOf('web')))).toEqual([
      [
        { op: 'test', path: '/metadata/resourceVersion', value: '9' },
        { op: 'add', path: '/spec/usbDevices', value: [{ name: STICK }] },
      ],
    ]);
  });

  it('assign a free device first, once that is allowed', () => {
    expect(stepsOf(plan(stickFacts(), web, { mayAssign: true }))).toEqual([
      'assign it to namespace lab',
      'wait until it is ready in namespace lab',
      'add it to the list of vm/web.lab',
      'wait until it is attached to vm/web.lab',
    ]);
  });

  it('wait for the USBDevice that the controller has not made yet', () => {
    expect(stepsOf(plan(assignedFacts('lab', { usbDevices: [] })))[0]).toBe(
      'wait until it is ready in namespace lab',
    );
  });

  it('are but a wait when the VM asks for the device already', () => {
    const vm = vmOf('web', { list: [STICK] });
    expect(stepsOf(plan(assignedFacts('lab', { vms: [vm] }), vm))).toEqual([
      'wait until it is attached to vm/web.lab',
    ]);
  });

  it('are none when the VM has the device', () => {
    const vm = vmOf('web', { list: [STICK], attached: [STICK] });
    expect(plan(assignedFacts('lab', { vms: [vm] }), vm)).toMatchObject({ kind: 'done' });
  });

  it('lead to a machine that migrates as to one that runs', () => {
    expect(plan(assignedFacts(), vmOf('web', { phase: 'Migrating' })).kind).toBe('steps');
  });

  it('put the device into the list of a stopped VM when nobody waits for it', () => {
    const result = plan(assignedFacts(), vmOf('web', { phase: 'Stopped' }), { waits: false });
    expect(result).toMatchObject({ kind: 'steps', requested: expect.stringContaining('next start') });
  });
});

describe('a free device', () => {
  it('is assigned after a question only', () => {
    const result = plan(stickFacts());
    expect(result).toMatchObject({ kind: 'question', unasked: { code: 'USAGE' } });
  });

  it('is asked about only when all else is well', () => {
    expect(codeOf(() => plan(stickFacts(), vmOf('web', { phase: 'Stopped' })))).toBe('VM_NOT_RUNNING');
  });
});

const full = vmOf('web', { list: Array.from({ length: MOST_DEVICES }, (_, index) => `usb-${index}`) });
const other = vmOf('db', { list: [STICK], attached: [STICK] });
const changed = nodeUsbDevice('lab', { ready: condition('Ready', 'False', 'FingerprintChanged') });
const away = nodeUsbDevice('lab', { ready: condition('Ready', 'False', 'NotFound') });

const REFUSALS: Record<string, [code: string, facts: UsbFacts, vm?: VirtualMachine]> = {
  'a device that is assigned to another namespace': ['CONFLICT', assignedFacts('other')],
  'a device that is blocked by policy': [
    'DEVICE_BLOCKED',
    stickFacts({ device: { verdict: 'Blocked', rule: 'default/x', reason: 'it is a keyboard' } }),
  ],
  'a device that is offered to other namespaces only': [
    'DEVICE_BLOCKED',
    stickFacts({ device: { namespaces: ['media'] } }),
  ],
  'a device that another VM has': ['DEVICE_BUSY', assignedFacts('lab', { vms: [other] })],
  "a device that a pod's claim holds": [
    'DEVICE_BUSY',
    assignedFacts('lab', { claims: [claimOf('disk', 'worker-1', STICK, ['job'])] }),
  ],
  'a free device that a claim holds': [
    'DEVICE_BUSY',
    stickFacts({ claims: [claimOf('disk', 'worker-1', STICK)] }),
  ],
  'a device that was unplugged': [
    'DEVICE_NOT_READY',
    assignedFacts('lab', { statuses: UNPLUGGED, nodeUsbDevices: [away] }),
  ],
  'a device of a node that is not ready': [
    'DEVICE_NOT_READY',
    assignedFacts('lab', { nodes: [nodeOf('worker-1', 'False')] }),
  ],
  'a device whose USBDevice is not ready': [
    'DEVICE_NOT_READY',
    assignedFacts('lab', {
      nodeUsbDevices: undefined,
      usbDevices: [
        { ...usbDevice('lab'), status: { conditions: [condition('Ready', 'False', 'NodeNotReady')] } },
      ],
    }),
  ],
  'another device than was approved': ['DEVICE_CHANGED', assignedFacts('lab', { nodeUsbDevices: [changed] })],
  'a VM that has eight devices': ['TOO_MANY_DEVICES', assignedFacts(), full],
  'a VM that is not running': ['VM_NOT_RUNNING', assignedFacts(), vmOf('web', { phase: 'Stopped' })],
};

describe('refused before anything is changed is', () => {
  for (const [what, [code, facts, vm]] of Object.entries(REFUSALS)) {
    it(what, () => {
      expect(codeOf(() => plan(facts, vm ?? web, { mayAssign: true }))).toBe(code);
    });
  }

  it('a free device without a NodeUSBDevice', () => {
    expect(codeOf(() => plan(stickFacts({ nodeUsbDevices: [] }), web, { mayAssign: true }))).toBe(
      'NOT_FOUND',
    );
  });

  it('a device that is not seen to be assigned, for a person who sees no NodeUSBDevices', () => {
    const blind = stickFacts({ nodeUsbDevices: undefined });
    const given = { mayAssign: true, seesAssignments: false };
    expect(codeOf(() => plan(blind, web, given))).toBe('FORBIDDEN');
    expect(plan(assignedFacts('lab', { nodeUsbDevices: undefined }), web, given).kind).toBe('steps');
  });

  it('nothing that is assigned here, though a VM elsewhere has the name in its list', () => {
    const stale = vmOf('old', { namespace: 'other', list: [STICK] });
    expect(plan(assignedFacts('lab', { vms: [stale] })).kind).toBe('steps');
  });
});
