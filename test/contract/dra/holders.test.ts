// Several devices, several claims, and little time: who gets what, and who waits for whom.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { codeOf, DriverBench, messageOf, NOTHING } from '../../support/dra/driver-bench.ts';
import { type Allocation, claimObject, ref } from '../../support/dra/objects.ts';

const FAR: Allocation = { pool: 'a', device: 'usb-far' };
const FAR2: Allocation = { request: 'second', pool: 'a', device: 'usb-far2' };
const NEAR: Allocation = { pool: 'b', device: 'usb-near' };
const never = new AbortController().signal;

let bench: DriverBench;
beforeEach(() => {
  bench = new DriverBench();
});
afterEach(() => bench.dispose());

function put(name: string, allocations: Allocation[]) {
  const claim = ref(name);
  bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(claim, allocations));
  return claim;
}

describe('several devices in a claim', () => {
  it('are all prepared, in the order of the allocation', async () => {
    const claim = put('c1', [FAR, { ...NEAR, request: 'near' }, FAR2]);
    const outcome = (await bench.start().driver.prepare([claim], never)).get(claim.uid);
    expect(outcome).toMatchObject({
      value: [{ device: 'usb-far' }, { device: 'usb-near', requests: ['near'] }, { device: 'usb-far2' }],
    });
    expect(bench.kernel.held.size).toBe(3);
  });

  it('are none when one fails', async () => {
    bench.kernel.busy.add('usb-far2');
    const claim = put('c1', [FAR, FAR2]);
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('DEVICE_BUSY');
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('give the share id back where there is one', async () => {
    const claim = put('c1', [{ ...FAR, shareID: 'share-1' }]);
    const outcome = (await bench.start().driver.prepare([claim], never)).get(claim.uid);
    expect(outcome).toMatchObject({ value: [{ shareId: 'share-1' }] });
  });
});

describe('claims in one call', () => {
  it('fail one by one', async () => {
    const good = put('good', [FAR]);
    const bad = put('bad', [{ pool: 'a', device: 'usb-gone' }]);
    const outcomes = await bench.start().driver.prepare([good, bad, good], never);
    expect([codeOf(outcomes, good), codeOf(outcomes, bad), outcomes.size]).toEqual([
      'ok',
      'DEVICE_NOT_FOUND',
      2,
    ]);
  });

  it('do not wait for the slow peer of another', async () => {
    const slow = put('slow', [FAR]);
    const quick = put('quick', [NEAR]);
    const { driver, access } = bench.start();
    access.silent.add('usb-far');
    const gaveUp = new AbortController();
    const first = driver.prepare([slow], gaveUp.signal);
    expect(codeOf(await driver.prepare([quick], never), quick)).toBe('ok');
    expect(codeOf(await driver.unprepare([quick]), quick)).toBe('ok');
    gaveUp.abort();
    expect(codeOf(await first, slow)).toBe('TIMED_OUT');
    expect(bench.leftovers()).toEqual(NOTHING);
  });
});

describe('a device that another claim holds', () => {
  it('is refused with the name of the claim, seen from its checkpoint', async () => {
    const holder = put('holder', [FAR]);
    const late = put('late', [FAR]);
    const { driver } = bench.start();
    await driver.prepare([holder], never);
    const outcomes = await driver.prepare([late], never);
    expect(codeOf(outcomes, late)).toBe('DEVICE_BUSY');
    expect(messageOf(outcomes, late)).toContain('default/holder');
    expect(bench.leftovers()).toMatchObject({ kernel: 1, checkpoints: ['uid-holder.json'] });
  });

  it('is given as soon as the holder lets go', async () => {
    const holder = put('holder', [FAR]);
    const late = put('late', [FAR]);
    const { driver } = bench.start({ patience: { wait: 2_000, poll: 10 } });
    await driver.prepare([holder], never);
    const waiting = driver.prepare([late], never);
    await driver.unprepare([holder]);
    expect(codeOf(await waiting, late)).toBe('ok');
  });

  it('is given to one only when two ask at once, even of two processes', async () => {
    const claims = [put('one', [FAR]), put('two', [FAR])] as const;
    const drivers = [bench.start(), bench.start()] as const;
    const outcomes = await Promise.all(claims.map((claim, i) => drivers[i]?.driver.prepare([claim], never)));
    const codes = claims.map((claim, i) => codeOf(outcomes[i] ?? new Map(), claim));
    expect(codes.toSorted()).toEqual(['DEVICE_BUSY', 'ok']);
    expect(bench.kernel.held.size).toBe(1);
  });

  it('is waited for when its own node says that it is busy', async () => {
    bench.kernel.busy.add('usb-far');
    const claim = put('c1', [FAR]);
    const { driver } = bench.start({ patience: { wait: 2_000, poll: 10 } });
    const waiting = driver.prepare([claim], never);
    setTimeout(() => bench.kernel.busy.clear(), 50);
    expect(codeOf(await waiting, claim)).toBe('ok');
  });

  it('on another node is refused with the name that the API knows', async () => {
    bench.kernel.busy.add('usb-far');
    bench.holderOf = (pool, device, uid) =>
      `${pool}/${device}/${uid}` === 'a/usb-far/uid-c1' ? ref('vm7') : undefined;
    const claim = put('c1', [FAR]);
    const outcomes = await bench.start().driver.prepare([claim], never);
    expect(codeOf(outcomes, claim)).toBe('DEVICE_BUSY');
    expect(messageOf(outcomes, claim)).toContain('default/vm7');
  });

  it('in a former boot does not count', async () => {
    await bench.start().driver.prepare([put('former', [FAR])], never);
    bench.kernel.held.clear();
    const claim = put('c1', [FAR]);
    const { driver } = bench.start({ bootId: 'boot-2' });
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('ok');
  });
});

describe('time', () => {
  it('runs out with an error instead of a call without an end', async () => {
    const claim = put('c1', [FAR]);
    const { driver, access } = bench.start({ limits: { call: 40, undo: 20 } });
    access.silent.add('usb-far');
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('TIMED_OUT');
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('is what is named when the client of the API gives up with it', async () => {
    const claim = put('c1', [FAR]);
    const { driver } = bench.start({ limits: { call: 20, undo: 20 } });
    bench.kube.before = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new TypedError('INTERRUPTED', 'aborted')));
      });
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('TIMED_OUT');
  });

  it('is kept even when a port ignores the abort', async () => {
    const claim = put('c1', [FAR]);
    const { driver } = bench.start({ limits: { call: 30, undo: 10 } });
    bench.kube.before = (call) => (call.startsWith('list') ? new Promise(() => {}) : undefined);
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('TIMED_OUT');
  });
});
