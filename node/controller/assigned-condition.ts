// Whether a namespace has a device. Pure.
import { ASSIGNED_REASONS, CONDITION_TYPES } from '../../proto/api/names.ts';
import type { WantedCondition } from './conditions.ts';

/** What the condition says of a device that was given to nobody. */
export const NO_NAMESPACE = 'assigned to no namespace';

/** An old USBDevice that a virtual machine still has. */
export interface Holder {
  readonly namespace: string;
  readonly vm: string;
}

/** `namespace` as the administrator wrote it; '' for none. */
export function assignedCondition(
  namespace: string,
  exists: boolean,
  holder: Holder | undefined,
): WantedCondition {
  const condition = (reason: keyof typeof ASSIGNED_REASONS, message: string): WantedCondition => ({
    type: CONDITION_TYPES.assigned,
    status: reason === 'assigned' ? 'True' : 'False',
    reason: ASSIGNED_REASONS[reason],
    message,
  });
  if (namespace === '') return condition('available', NO_NAMESPACE);
  if (!exists) return condition('available', `namespace ${namespace} does not exist`);
  if (holder) {
    const { vm, namespace: other } = holder;
    return condition('inProgress', `virtual machine ${vm} of namespace ${other} still has it`);
  }
  return condition('assigned', `assigned to namespace ${namespace}`);
}
