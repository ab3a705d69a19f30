// The driver's promises to the kubelet that do not depend on devices.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DraDriver } from '../../../node/dra/driver.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { codeOf, DriverBench, messageOf, quietLog } from '../../support/dra/driver-bench.ts';
import { claimObject, ref } from '../../support/dra/objects.ts';

const never = new AbortController().signal;
let bench: DriverBench;
beforeEach(() => {
  bench = new DriverBench();
});
afterEach(() => bench.dispose());

describe('the driver', () => {
  it('answers nothing to nothing', async () => {
    const { driver } = bench.start();
    expect([await driver.prepare([], never), await driver.unprepare([])]).toEqual([new Map(), new Map()]);
  });

  it('turns a bug into an error of the claim that names it', async () => {
    bench.kube.before = () => {
      throw new TypeError('x is undefined');
    };
    const outcomes = await bench.start().driver.prepare([ref('c1')], never);
    expect(codeOf(outcomes, ref('c1'))).toBe('INTERNAL');
    expect(messageOf(outcomes, ref('c1'))).toContain('default/c1');
  });

  it('does nothing for a call that is given up already', async () => {
    const { driver, access } = bench.start();
    bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(ref('c1'), [{ pool: 'a', device: 'usb-far' }]));
    expect(codeOf(await driver.prepare([ref('c1')], AbortSignal.abort()), ref('c1'))).toBe('TIMED_OUT');
    expect(access.attachCalls).toBe(0);
  });

  it('logs each claim once: what was done with its time, or the code of the error', async () => {
    const lines: object[] = [];
    const log = {
      ...quietLog,
      info: (fields: object) => void lines.push(fields),
      warn: (fields: object) => void lines.push(fields),
    };
    const driver = new DraDriver({ ...bench.start().host, log });
    await driver.unprepare([ref('known')]);
    await driver.prepare([ref('unknown')], never);
    expect(lines).toMatchObject([
      { claim: ref('known'), milliseconds: expect.any(Number) },
      { claim: ref('unknown'), code: 'NOT_FOUND' },
    ]);
  });

  it('lets Unprepare of a claim wait for its Prepare', async () => {
    const claim = ref('c1');
    bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(claim, [{ pool: 'a', device: 'usb-far' }]));
    const { driver } = bench.start({ patience: { wait: 2_000, poll: 5 } });
    bench.kernel.busy.add('usb-far');
    const preparing = driver.prepare([claim], never);
    await expect.poll(() => bench.leftovers().checkpoints).toEqual(['uid-c1.json']);
    const unpreparing = driver.unprepare([claim]);
    bench.kernel.busy.clear();
    expect([codeOf(await preparing, claim), codeOf(await unpreparing, claim)]).toEqual(['ok', 'ok']);
    expect(bench.leftovers()).toMatchObject({ kernel: 0, checkpoints: [] });
  });
});
