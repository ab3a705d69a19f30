// What is planned to detach a device, and what a person learns instead.
import { describe, expect, it } from 'vitest';
import { planDetach } from '../../../../plugin/usb/change/detach-plan.ts';
import type { Plan } from '../../../../plugin/usb/change/plan.ts';
import type { UsbFacts } from '../../../../plugin/usb/facts.ts';
import type { VirtualMachine } from '../../../../proto/api/virtual-machine.ts';
import { codeOf } from '../code-of.ts';
import { claimOf } from '../lab-facts.ts';
import { assignedFacts, STICK, stickFacts, stickRow, vmOf } from './change-objects.ts';

const web = vmOf('web', { list: ['usb-a', STICK, 'usb-b'], attached: [STICK] });
const db = vmOf('db', { list: [STICK] });

function plan(
  vms: VirtualMachine[],
  given: { facts?: UsbFacts; named?: boolean; agreed?: boolean } = {},
): Plan {
  const { facts = assignedFacts('lab', { vms }), named = false, agreed = true } = given;
  return planDetach({ row: stickRow(facts), vms, named, agreed });
}

describe('detach', () => {
  it('removes the one entry that it tested, and waits', () => {
    const result = plan([web]);
    expect(result.kind === 'steps' && result.steps).toMatchObject([
      {
        kind: 'patch',
        patch: [
          { op: 'test', path: '/spec/usbDevices/1', value: { name: STICK } },
          { op: 'remove', path: '/spec/usbDevices/1' },
        ],
      },
      { kind: 'wait', goal: { kind: 'detached', vm: 'web' } },
    ]);
  });

  it('asks before a running VM loses the device', () => {
    expect(plan([web], { agreed: false })).toMatchObject({ kind: 'question', unasked: { code: 'USAGE' } });
  });

  it('does not ask when the VM only waits for the device', () => {
    expect(plan([db], { agreed: false }).kind).toBe('steps');
  });

  it('only waits when somebody took it from the list already', () => {
    const leaving = vmOf('web', { list: [], attached: [STICK] });
    expect(plan([leaving], { agreed: false })).toMatchObject({ kind: 'steps', steps: [{ kind: 'wait' }] });
  });

  it('finds the VM of the namespace that has the device', () => {
    const stale = vmOf('old', { namespace: 'other', list: [STICK] });
    expect(plan([stale, web])).toMatchObject({
      kind: 'steps',
      summary: expect.stringContaining('vm/web.lab'),
    });
  });

  it('cleans a list of another namespace when its VM is named', () => {
    const stale = vmOf('old', { namespace: 'other', list: [STICK] });
    expect(plan([stale], { named: true, facts: assignedFacts() }).kind).toBe('steps');
  });

  it('wants to know which one when several VMs ask for it', () => {
    expect(codeOf(() => plan([web, db]))).toBe('AMBIGUOUS');
  });

  it('has nothing to do when nobody has the device', () => {
    expect(plan([], { facts: stickFacts() })).toMatchObject({
      kind: 'done',
      object: { type: { plural: 'nodeusbdevices' } },
    });
    expect(plan([vmOf('web')], { named: true })).toMatchObject({
      kind: 'done',
      object: { type: { plural: 'virtualmachines' } },
    });
  });

  it("says which pod's claim holds it, and what to delete", () => {
    const facts = assignedFacts('lab', { claims: [claimOf('disk', 'worker-1', STICK, ['job'])] });
    expect(() => plan([], { facts })).toThrowError(
      expect.objectContaining({
        code: 'DEVICE_BUSY',
        hint: expect.stringContaining('kubectl delete pod job -n lab'),
      }),
    );
  });

  it('says who has it when that is not the VM that was named', () => {
    const facts = assignedFacts('lab', { vms: [web] });
    expect(() => plan([vmOf('db')], { facts, named: true })).toThrowError(
      expect.objectContaining({ code: 'DEVICE_BUSY', message: expect.stringContaining('vm/web.lab') }),
    );
  });
});
