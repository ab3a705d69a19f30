// The times of the steps of a call, found without passing anything along.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StepTimes } from '../../../node/run/step-times.ts';

const step = (name: string, ms: number) => StepTimes.time(name, () => sleep(ms));
const times = (steps: StepTimes): Record<string, number> => JSON.parse(JSON.stringify(steps));

describe('the steps of a call', () => {
  it('are added up by name, in the order in which they first ended', async () => {
    const steps = new StepTimes();
    await steps.collect(async () => {
      await step('read', 2);
      await step('write', 20);
      await step('read', 20);
    });
    expect(Object.keys(times(steps))).toEqual(['read', 'write']);
    expect(times(steps).read).toBeGreaterThanOrEqual(20);
  });

  it('are kept apart from those of a call at the same time', async () => {
    const [one, two] = [new StepTimes(), new StepTimes()];
    await Promise.all([one.collect(() => step('one', 2)), two.collect(() => step('two', 1))]);
    expect([Object.keys(times(one)), Object.keys(times(two))]).toEqual([['one'], ['two']]);
  });

  it('count when they fail, and give what they give', async () => {
    const steps = new StepTimes();
    const failing = steps.collect(() => StepTimes.time('bad', () => Promise.reject(new Error('no'))));
    await expect(failing).rejects.toThrow('no');
    expect(await steps.collect(() => StepTimes.time('good', () => 7))).toBe(7);
    expect(Object.keys(times(steps))).toEqual(['bad', 'good']);
  });

  it('outside of any call are not counted', async () => {
    expect(await StepTimes.time('alone', () => 7)).toBe(7);
  });
});
