// Plans of changes over random clusters: what they do when they are carried out, and what they never do.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planAssign } from '../../../plugin/usb/change/assign-plan.ts';
import { MOST_DEVICES, planAttach } from '../../../plugin/usb/change/attach-plan.ts';
import { planDetach } from '../../../plugin/usb/change/detach-plan.ts';
import type { Plan } from '../../../plugin/usb/change/plan.ts';
import { planUnassign } from '../../../plugin/usb/change/unassign-plan.ts';
import type { UsbFacts } from '../../../plugin/usb/facts.ts';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import { applyJsonPatch, PatchFailure } from '../../../proto/kube/memory/json-patch.ts';
import {
  nodeUsbDevice,
  STICK,
  stickFacts,
  stickRow,
  usbDevice,
  vmOf,
} from '../../unit/plugin/change/change-objects.ts';
import { claimOf } from '../../unit/plugin/lab-facts.ts';

const NAMES = ['web', 'db'];
const list = fc.option(
  fc.uniqueArray(fc.constantFrom(STICK, ...Array.from({ length: 9 }, (_, index) => `usb-${index}`)), {
    maxLength: 9,
  }),
  { nil: undefined },
);
const machine = (name: string) =>
  fc
    .record({
      namespace: fc.constantFrom('lab', 'other'),
      phase: fc.constantFrom('Running', 'Stopped'),
      list,
    })
    .map((parts) => vmOf(name, { ...parts, attached: parts.phase === 'Running' ? (parts.list ?? []) : [] }));

const clusters: fc.Arbitrary<UsbFacts> = fc
  .record({
    owner: fc.constantFrom('', 'lab', 'other'),
    approved: fc.constantFrom(undefined, '', 'sha256:old'),
    verdict: fc.constantFrom('Offered' as const, 'Offered' as const, 'Offered' as const, 'Blocked' as const),
    claimed: fc.constantFrom(false, false, false, true),
    vms: fc.tuple(...NAMES.map(machine)),
  })
  .map(({ owner, approved, verdict, claimed, vms }) =>
    stickFacts({
      device: { verdict },
      nodeUsbDevices: [
        nodeUsbDevice(owner, approved === undefined ? {} : { spec: { fingerprint: approved } }),
      ],
      usbDevices: owner ? [usbDevice(owner)] : [],
      claims: claimed ? [claimOf('disk', 'worker-1', STICK, ['job'])] : [],
      vms,
    }),
  );

/** A cluster and one of its VMs by index. */
const cases = fc.record({ facts: clusters, index: fc.nat({ max: NAMES.length - 1 }), agreed: fc.boolean() });

function vmAt(facts: UsbFacts, index: number): VirtualMachine {
  const vm = facts.vms?.[index];
  if (!vm) throw new Error('no VM');
  return vm;
}

/** The plan, or the code of its refusal. */
function decided(plan: () => Plan): Plan | string {
  try {
    return plan();
  } catch (error) {
    if (error instanceof TypedError) return error.code;
    throw error;
  }
}

/** The cluster after the patches of a plan and after its controllers. */
function carriedOut(facts: UsbFacts, plan: Plan): UsbFacts {
  if (plan.kind !== 'steps') return facts;
  let { nodeUsbDevices = [], vms = [] } = facts;
  for (const step of plan.steps) {
    if (step.kind !== 'patch') continue;
    const patched = <T extends { metadata: { name?: string; namespace?: string } }>(object: T): T =>
      object.metadata.name === step.key.name && object.metadata.namespace === step.key.namespace
        ? (applyJsonPatch(object, step.patch) as T)
        : object;
    nodeUsbDevices = nodeUsbDevices.map(patched);
    vms = vms.map(patched);
  }
  const owner = nodeUsbDevices[0]?.spec.assignedNamespace ?? '';
  return {
    ...facts,
    nodeUsbDevices: nodeUsbDevices.map(
      (object): NodeUsbDevice => ({ ...nodeUsbDevice(owner), spec: object.spec }),
    ),
    usbDevices: owner ? [usbDevice(owner)] : [],
    vms: vms.map((vm) => {
      const asked = vm.status?.phase === 'Running' ? (vm.spec.usbDevices ?? []) : [];
      return {
        ...vm,
        status: {
          ...vm.status,
          usbDevices: asked.map(({ name }) => ({ name, attached: true, ready: true })),
        },
      };
    }),
  };
}

function attach(facts: UsbFacts, index: number, mayAssign: boolean): Plan | string {
  return decided(() =>
    planAttach({
      row: stickRow(facts),
      vm: vmAt(facts, index),
      mayAssign,
      seesAssignments: true,
      waits: true,
    }),
  );
}

describe('every plan', () => {
  it('to attach, carried out, leaves nothing to do', () => {
    fc.assert(
      fc.property(cases, ({ facts, index }) => {
        const plan = attach(facts, index, true);
        if (typeof plan === 'string') return;
        expect(attach(carriedOut(facts, plan), index, false)).toMatchObject({ kind: 'done' });
      }),
    );
  });

  it('to attach keeps all other entries and the limit of the list', () => {
    fc.assert(
      fc.property(cases, ({ facts, index }) => {
        const plan = attach(facts, index, true);
        if (typeof plan === 'string') return;
        const before = vmAt(facts, index).spec.usbDevices ?? [];
        const after = vmAt(carriedOut(facts, plan), index).spec.usbDevices ?? [];
        expect(after).toEqual(expect.arrayContaining(before));
        expect(new Set(after.map(({ name }) => name)).size).toBe(after.length);
        expect(after.length).toBeLessThanOrEqual(Math.max(MOST_DEVICES, before.length));
      }),
    );
  });

  it('to attach never takes the device from another namespace, and asks before it assigns', () => {
    fc.assert(
      fc.property(cases, ({ facts, index, agreed }) => {
        const owner = facts.nodeUsbDevices?.[0]?.spec.assignedNamespace;
        const { namespace } = vmAt(facts, index).metadata;
        const plan = attach(facts, index, agreed);
        if (owner && owner !== namespace) expect(typeof plan).toBe('string');
        else if (!owner && !agreed) expect(typeof plan === 'string' || plan.kind === 'question').toBe(true);
      }),
    );
  });

  it('to assign or unassign, carried out, leaves nothing to do', () => {
    fc.assert(
      fc.property(clusters, (facts) => {
        const assign = (at: UsbFacts) =>
          decided(() => planAssign({ row: stickRow(at), namespace: 'lab', approves: false, agreed: false }));
        const plan = assign(facts);
        if (typeof plan !== 'string') expect(assign(carriedOut(facts, plan))).toMatchObject({ kind: 'done' });
        const back = planUnassign(stickRow(facts), true);
        expect(planUnassign(stickRow(carriedOut(facts, back)), false)).toMatchObject({ kind: 'done' });
      }),
    );
  });

  it('to detach removes one entry and no other', () => {
    fc.assert(
      fc.property(cases, ({ facts, index }) => {
        const vm = vmAt(facts, index);
        const plan = decided(() =>
          planDetach({ row: stickRow(facts), vms: [vm], named: true, agreed: true }),
        );
        if (typeof plan === 'string') return;
        const after = vmAt(carriedOut(facts, plan), index).spec.usbDevices ?? [];
        expect(after).toEqual((vm.spec.usbDevices ?? []).filter(({ name }) => name !== STICK));
      }),
    );
  });

  it('does not apply to an object that somebody else changed', () => {
    fc.assert(
      fc.property(cases, ({ facts, index }) => {
        const plan = attach(facts, index, true);
        if (typeof plan === 'string' || plan.kind !== 'steps') return;
        for (const step of plan.steps) {
          if (step.kind !== 'patch') continue;
          const vm = vmAt(facts, index);
          const object = nodeUsbDevice('elsewhere');
          const changed =
            step.type.plural === 'virtualmachines'
              ? {
                  ...vm,
                  metadata: { ...vm.metadata, resourceVersion: '10' },
                  spec: { usbDevices: [{ name: 'usb-new' }] },
                }
              : object;
          expect(() => applyJsonPatch(changed, step.patch)).toThrow(PatchFailure);
        }
      }),
    );
  });
});
