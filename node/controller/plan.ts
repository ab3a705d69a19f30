// The whole plan of the controller: what was observed -> the writes that are missing. Pure.
import { planDeadNodes, staleSlices } from './dead-node-plan.ts';
import { indexDevices, namesOf } from './device-index.ts';
import { planDevice } from './device-plan.ts';
import type { Observed } from './observed.ts';
import type { Step } from './step.ts';

/**
 * `now` in milliseconds since the epoch. Once the steps are done, a plan at the same time is empty. Only for observations
 * that are complete: what is not in them is taken as not there.
 */
export function planDevices(observed: Observed, now: number): Step[] {
  const stale = new Set(staleSlices(observed, now));
  const index = indexDevices({ ...observed, slices: observed.slices.filter((slice) => !stale.has(slice)) });
  return [...namesOf(index).flatMap((name) => planDevice(index, name, now)), ...planDeadNodes(observed, now)];
}
