// Which changes of conditions people are told of.
import { describe, expect, it } from 'vitest';
import { assignedCondition } from '../../../node/controller/assigned-condition.ts';
import { nextConditions, type WantedCondition } from '../../../node/controller/conditions.ts';
import { eventObject } from '../../../node/controller/event-object.ts';
import { transitionNotes } from '../../../node/controller/transition-notes.ts';
import { nodeUsbDevice, START, usbDevice } from '../../support/controller/objects.ts';

const ready = (reason: string): WantedCondition => ({
  type: 'Ready',
  status: reason === 'Ready' ? 'True' : 'False',
  reason,
  message: reason,
});
const list = (...wanted: WantedCondition[]) => nextConditions(undefined, wanted, 1, START);
const reasons = (before: WantedCondition[] | undefined, after: WantedCondition[]) =>
  transitionNotes(before && list(...before), list(...after)).map(({ type, reason }) => `${type} ${reason}`);

describe('notes about Ready', () => {
  it.each([
    [undefined, 'Ready', ['Normal Plugged']],
    ['NotFound', 'Ready', ['Normal Plugged']],
    ['NodeNotReady', 'Ready', []],
    ['FingerprintChanged', 'Ready', []],
    ['Ready', 'Ready', []],
    [undefined, 'NotFound', []],
    ['Ready', 'NotFound', ['Normal Unplugged']],
    ['Ready', 'FingerprintChanged', ['Warning FingerprintChanged']],
    ['Ready', 'NodeNotReady', ['Warning NodeNotReady']],
    ['NodeNotReady', 'NodeNotReady', []],
    ['Ready', 'NotReady', []],
  ])('from %s to %s: %j', (before, after, wanted) => {
    expect(reasons(before === undefined ? undefined : [ready(before)], [ready(after)])).toEqual(wanted);
  });
});

describe('notes about Assigned', () => {
  const none = assignedCondition('', false, undefined);
  const lab = assignedCondition('lab', true, undefined);
  const shop = assignedCondition('shop', true, undefined);
  const missing = assignedCondition('lab', false, undefined);
  const waiting = assignedCondition('shop', true, { namespace: 'lab', vm: 'vm' });

  it.each([
    ['a new device', undefined, none, []],
    ['an assignment', none, lab, ['Normal Assigned']],
    ['one to another namespace', lab, shop, ['Normal Assigned']],
    ['one that waits', lab, waiting, []],
    ['the end of waiting', waiting, shop, ['Normal Assigned']],
    ['taking it back', lab, none, ['Normal Unassigned']],
    ['a namespace that is gone', lab, missing, ['Warning NamespaceMissing']],
    ['one that never was', undefined, missing, ['Warning NamespaceMissing']],
    ['nothing new', lab, lab, []],
  ] as const)('%s', (_, before, after, wanted) => {
    expect(reasons(before && [before], [after])).toEqual(wanted);
  });
});

describe('eventObject', () => {
  const note = { type: 'Warning', reason: 'NodeNotReady', message: 'node a is not ready' } as const;

  it('of a cluster-scoped object is in the namespace that the API server wants', () => {
    const about = { apiVersion: 'g/v1', kind: 'NodeUSBDevice', ...nodeUsbDevice('usb-1') };
    expect(eventObject(about, note, START + 500)).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'default', generateName: 'usb-1.' },
      involvedObject: { apiVersion: 'g/v1', kind: 'NodeUSBDevice', name: 'usb-1', uid: 'uid-usb-1' },
      ...note,
      source: { component: 'usb-controller' },
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
    });
  });

  it('of an object in a namespace is beside it', () => {
    const event = eventObject(usbDevice('lab', 'usb-1'), note, START);
    expect(event.metadata.namespace).toBe('lab');
    expect(event.involvedObject.namespace).toBe('lab');
  });
});
