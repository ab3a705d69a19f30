// When a change is done, and what is said until then.
import { describe, expect, it } from 'vitest';
import { type Goal, goalState, objectsOf, type Seen } from '../../../../plugin/usb/change/goal.ts';
import { condition, nodeUsbDevice, STICK, usbDevice, vmOf } from './change-objects.ts';

const assigned: Goal = { kind: 'assigned', device: STICK, namespace: 'lab' };
const unassigned: Goal = { ...assigned, kind: 'unassigned' };
const attached: Goal = { kind: 'attached', device: STICK, namespace: 'lab', vm: 'web' };
const detached: Goal = { ...attached, kind: 'detached' };
const ready = { nodeUsbDevice: nodeUsbDevice('lab'), usbDevice: usbDevice('lab') };
const asking = vmOf('web', { list: [STICK] });
const using = vmOf('web', { list: [STICK], attached: [STICK] });
const listed = {
  ...asking,
  status: { phase: 'Running', usbDevices: [{ name: STICK, attached: false, ready: true }] },
};
const noPort = usbDevice('lab', condition('Attached', 'False', 'NoFreeUSBIPPort', 'all 8 ports are used'));

function withoutConditions<T extends { status?: object }>(object: T): T {
  return { ...object, status: {} };
}

describe('is reached', () => {
  it.each<[string, Goal, Seen]>([
    ['an assignment with its USBDevice ready', assigned, ready],
    ['an unassignment without a USBDevice', unassigned, { nodeUsbDevice: nodeUsbDevice() }],
    ['an attachment that the VM tells of', attached, { vm: using, usbDevice: ready.usbDevice }],
    ['a detachment that the VM tells of', detached, { vm: asking }],
    ['a detachment from a VM that is gone', detached, {}],
  ])('%s', (_what, goal, seen) => {
    expect(goalState(goal, seen).reached).toBe(true);
  });
});

describe('is not reached, and says why:', () => {
  it.each<[string, Goal, Seen, RegExp]>([
    ['an object that is gone', assigned, {}, /gone/],
    [
      'a change that the controller has not seen',
      assigned,
      { ...ready, nodeUsbDevice: { ...ready.nodeUsbDevice, metadata: { name: STICK, generation: 2 } } },
      /not seen/,
    ],
    [
      'a device that is not ready',
      assigned,
      {
        ...ready,
        nodeUsbDevice: nodeUsbDevice('lab', { ready: condition('Ready', 'False', 'NotFound', 'unplugged') }),
      },
      /NotFound: unplugged/,
    ],
    ['an assignment that is not made', assigned, { ...ready, nodeUsbDevice: nodeUsbDevice() }, /Available/],
    [
      'no conditions at all',
      assigned,
      { ...ready, nodeUsbDevice: withoutConditions(ready.nodeUsbDevice) },
      /not judged/,
    ],
    ['a USBDevice that is missing', assigned, { nodeUsbDevice: ready.nodeUsbDevice }, /not there yet/],
    [
      'a USBDevice without state',
      assigned,
      { ...ready, usbDevice: withoutConditions(ready.usbDevice) },
      /no state/,
    ],
    ['a USBDevice that stays', unassigned, ready, /still there/],
    [
      'a VM that keeps the device',
      unassigned,
      { ...ready, usbDevice: usbDevice('lab', condition('Attached', 'True', 'AttachedToVirtualMachine')) },
      /still attached: AttachedToVirtualMachine/,
    ],
    ['a VM that is gone', attached, {}, /gone/],
    ['a VM that asks no more', attached, { vm: vmOf('web', { list: [] }) }, /somebody took it/],
    ['a VM that stopped', attached, { vm: vmOf('web', { list: [STICK], phase: 'Stopped' }) }, /Stopped/],
    ['a VM that has not answered', attached, { vm: asking }, /not taken it up/],
    ['a VM on its way', attached, { vm: listed }, /^not attached yet$/],
    ['no free port', attached, { vm: listed, usbDevice: noPort }, /NoFreeUSBIPPort: all 8 ports/],
    ['a VM that has it still', detached, { vm: using }, /still attached to vm\/web/],
  ])('%s', (_what, goal, seen, text) => {
    const state = goalState(goal, seen);
    expect([state.reached, state.text]).toEqual([false, expect.stringMatching(text)]);
  });
});

describe('the objects of a goal', () => {
  it('are only those that tell: a detachment needs no more rights than the VM', () => {
    const kinds = (goal: Goal) => Object.keys(objectsOf(goal)).sort();
    expect(kinds(assigned)).toEqual(['nodeUsbDevice', 'usbDevice']);
    expect(kinds(unassigned)).toEqual(['nodeUsbDevice', 'usbDevice']);
    expect(kinds(attached)).toEqual(['usbDevice', 'vm']);
    expect(kinds(detached)).toEqual(['vm']);
  });
});
