// Whether what a node reported about its devices still holds.
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import { humanDuration } from '../output/age.ts';
import type { NodeObject } from './facts.ts';

/** Milliseconds. The agent writes at least once a minute: three missed reports mean that it is gone. */
const STALE = 180_000;

/**
 * Why the devices of a node cannot be reached, or undefined. `nodes` is undefined when they may not be listed.
 * `now` in milliseconds since the epoch.
 */
export function whyUnreachable(
  name: string,
  status: UsbNodeStatus | undefined,
  nodes: readonly NodeObject[] | undefined,
  now: number,
): string | undefined {
  const node = nodes?.find(({ metadata }) => metadata.name === name);
  if (nodes && !node) return `the cluster has no node ${name} any more`;
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (node && ready?.status !== 'True') return `node ${name} is not ready`;
  const heartbeat = status?.status?.heartbeat;
  if (heartbeat === undefined) return `the agent of node ${name} has not reported yet`;
  const age = now - Date.parse(heartbeat);
  if (age <= STALE) return undefined;
  return `the agent of node ${name} has not reported for ${humanDuration(age / 1000)}`;
}
