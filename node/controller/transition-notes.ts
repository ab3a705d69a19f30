// What people are told when the conditions of a device change. Pure.
import type { Condition } from '../../proto/api/gen/condition.ts';
import { ASSIGNED_REASONS, CONDITION_TYPES, READY_REASONS } from '../../proto/api/names.ts';
import { NO_NAMESPACE } from './assigned-condition.ts';
import { conditionOf } from './conditions.ts';
import type { Note } from './note.ts';

/** One note a transition at most; an object without conditions before was just made, or is seen for the first time. */
export function transitionNotes(
  before: readonly Condition[] | undefined,
  after: readonly Condition[],
): Note[] {
  const notes = [
    readyNote(conditionOf(before, CONDITION_TYPES.ready), conditionOf(after, CONDITION_TYPES.ready)),
    assignedNote(conditionOf(before, CONDITION_TYPES.assigned), conditionOf(after, CONDITION_TYPES.assigned)),
  ];
  return notes.filter((note) => note !== undefined);
}

/** By the reason alone: the message of one reason may change, which is no transition. */
function readyNote(before: Condition | undefined, after: Condition | undefined): Note | undefined {
  if (!after || before?.reason === after.reason) return undefined;
  const { message } = after;
  switch (after.reason) {
    case READY_REASONS.ready:
      // That the node is back, or a fingerprint approved, is no plug.
      return !before || before.reason === READY_REASONS.notFound
        ? { type: 'Normal', reason: 'Plugged', message }
        : undefined;
    case READY_REASONS.notFound:
      return before && { type: 'Normal', reason: 'Unplugged', message };
    case READY_REASONS.fingerprintChanged:
      return { type: 'Warning', reason: 'FingerprintChanged', message };
    case READY_REASONS.nodeNotReady:
      return { type: 'Warning', reason: 'NodeNotReady', message };
    default:
      return undefined;
  }
}

/** By the message too: it names the namespace, and a device may go from one to another in one step. */
function assignedNote(before: Condition | undefined, after: Condition | undefined): Note | undefined {
  if (!after || (before?.reason === after.reason && before.message === after.message)) return undefined;
  const { message } = after;
  if (after.reason === ASSIGNED_REASONS.assigned) return { type: 'Normal', reason: 'Assigned', message };
  if (after.reason !== ASSIGNED_REASONS.available) return undefined;
  if (message !== NO_NAMESPACE) return { type: 'Warning', reason: 'NamespaceMissing', message };
  return before && { type: 'Normal', reason: 'Unassigned', message };
}
