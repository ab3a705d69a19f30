// Conditions of an object from one status to the next. Pure.
import type { Condition } from '../../proto/api/gen/condition.ts';

export type WantedCondition = Pick<Condition, 'type' | 'reason' | 'message'> & {
  readonly status: 'True' | 'False';
};

/** The list of the API is plain: of two of one type, the first counts. */
export function conditionOf(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** metav1.Time keeps whole seconds. */
export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The time of a condition moves with its status alone, not with reason or message (metav1.Condition). */
export function nextConditions(
  previous: readonly Condition[] | undefined,
  wanted: readonly WantedCondition[],
  generation: number,
  now: number,
): Condition[] {
  return wanted.map((next) => {
    const before = conditionOf(previous, next.type);
    const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : timestamp(now);
    return { ...next, lastTransitionTime, observedGeneration: generation };
  });
}
