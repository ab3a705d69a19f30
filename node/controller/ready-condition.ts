// Whether a device is there and is the one that was meant. Pure.
import { CONDITION_TYPES, READY_REASONS } from '../../proto/api/names.ts';
import type { WantedCondition } from './conditions.ts';
import { isAnother } from './fingerprint-pin.ts';
import type { NodeFacts } from './observed.ts';
import type { DeviceFacts } from './plugged-devices.ts';

/**
 * `device` is undefined when it is plugged in nowhere, `node` when there is no such Node, `approved` when any
 * fingerprint will do. A device that tells no fingerprint, as those of the agent we replace, is taken as it is.
 */
export function readyCondition(
  device: DeviceFacts | undefined,
  node: NodeFacts | undefined,
  approved: string | undefined,
): WantedCondition {
  if (!device)
    return notReady('notFound', 'no node offers it: it is unplugged, blocked by a rule, or used by its node');
  const { nodeName, fingerprint } = device;
  // Before the node: what it is does not change while the node is away.
  if (isAnother(fingerprint, approved)) {
    const message = `what is plugged in has fingerprint ${fingerprint}, but it is assigned with ${approved}`;
    return notReady('fingerprintChanged', message);
  }
  if (!node) return notReady('nodeNotReady', `node ${nodeName} does not exist`);
  if (!node.ready) return notReady('nodeNotReady', `node ${nodeName} is not ready`);
  return {
    type: CONDITION_TYPES.ready,
    status: 'True',
    reason: READY_REASONS.ready,
    message: `plugged into node ${nodeName}`,
  };
}

function notReady(reason: keyof typeof READY_REASONS, message: string): WantedCondition {
  return { type: CONDITION_TYPES.ready, status: 'False', reason: READY_REASONS[reason], message };
}
