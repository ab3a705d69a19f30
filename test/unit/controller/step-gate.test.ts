// When a group of steps may be done again: after failures, and while the caches are behind.
import { beforeEach, describe, expect, it } from 'vitest';
import { StepGate } from '../../../node/controller/step-gate.ts';
import { isSeen, type Written, writtenObject } from '../../../node/controller/written.ts';
import type { KubeObject } from '../../../proto/kube/client.ts';
import { nodeUsbDevice } from '../../support/controller/objects.ts';

const key = { name: 'usb-1' };
const written = (version: string | undefined): Written => ({
  kind: 'nodeUsbDevices',
  key,
  uid: 'uid-usb-1',
  version,
});
const object = (resourceVersion: string) => nodeUsbDevice('usb-1', {}, { metadata: { resourceVersion } });

let seen: KubeObject | undefined;
let gate: StepGate;

beforeEach(() => {
  seen = object('1');
  gate = new StepGate(
    () => seen,
    () => 1,
  );
});

describe('StepGate', () => {
  it('is open for what was never done', () => {
    expect(gate.isOpen('g', 0)).toBe(true);
    expect(gate.next).toBe(Number.POSITIVE_INFINITY);
  });

  it('is closed until the cache shows what was written', () => {
    gate.done('g', [written('7')], 0);
    expect(gate.isOpen('g', 10)).toBe(false);
    seen = object('10');
    expect(gate.isOpen('g', 10)).toBe(true);
  });

  it('does not wait for ever: a write may have been undone before it was seen', () => {
    gate.done('g', [written('7')], 0);
    expect(gate.next).toBe(5_000);
    expect(gate.isOpen('g', 5_000)).toBe(true);
  });

  it('waits longer after each failure, up to a minute, and for one group only', () => {
    const waits = Array.from({ length: 12 }, () => {
      gate.failed('g', 0);
      return gate.next;
    });
    expect(waits.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(waits.at(-1)).toBe(60_000);
    expect([gate.isOpen('g', 59_999), gate.isOpen('g', 60_000), gate.isOpen('other', 0)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(gate.failing).toBe(1);
  });

  it('forgets failures after a success', () => {
    gate.failed('g', 0);
    gate.failed('g', 0);
    gate.done('g', [], 0);
    expect(gate.failing).toBe(0);
    gate.failed('g', 0);
    expect(gate.next).toBe(100);
  });

  it('forgets groups that nothing is planned for', () => {
    gate.failed('g', 0);
    gate.keep(new Set(['other']));
    expect([gate.failing, gate.isOpen('g', 0)]).toEqual([0, true]);
  });

  it('slows down a group that is done again and again and is never finished', () => {
    for (let round = 0; round < 5; round++) gate.done('g', [], 0);
    expect(gate.isOpen('g', 1)).toBe(true);
    for (let round = 0; round < 8; round++) gate.done('g', [], 0);
    expect(gate.isOpen('g', 59_999)).toBe(false);
    expect(gate.isOpen('g', 60_000)).toBe(true);
  });
});

describe('isSeen', () => {
  it('compares versions as numbers', () => {
    expect(isSeen(written('10'), object('9'))).toBe(false);
    expect(isSeen(written('9'), object('10'))).toBe(true);
    expect(isSeen(written('9'), object('9'))).toBe(true);
  });

  it('waits for a new object, and takes another of the same name as later', () => {
    expect(isSeen(written('9'), undefined)).toBe(false);
    const other = nodeUsbDevice('usb-1', {}, { metadata: { uid: 'other', resourceVersion: '1' } });
    expect(isSeen(written('9'), other)).toBe(true);
  });

  it('of a deletion is that the object is gone, or on its way', () => {
    expect(isSeen(written(undefined), object('1'))).toBe(false);
    expect(isSeen(written(undefined), undefined)).toBe(true);
    const leaving = nodeUsbDevice('usb-1', {}, { metadata: { deletionTimestamp: 'now' } });
    expect(isSeen(written(undefined), leaving)).toBe(true);
  });
});

describe('writtenObject', () => {
  it('takes an object that lost its last finalizer as gone', () => {
    const leaving = nodeUsbDevice('usb-1', {}, { metadata: { deletionTimestamp: 'now', finalizers: [] } });
    expect(writtenObject('nodeUsbDevices', key, leaving).version).toBeUndefined();
    expect(writtenObject('nodeUsbDevices', key, object('4')).version).toBe('4');
  });
});
