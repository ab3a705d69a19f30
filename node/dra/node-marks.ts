// Labels and annotations of this node's Node object: whether claims of other nodes' devices may be placed here. Pure.
import type { HubPorts } from '../../proto/api/gen/usb-node-status.ts';
import { NODE_ANNOTATIONS, NODE_LABELS } from '../../proto/api/names.ts';
import type { ObjectMeta } from '../../proto/api/resource.ts';
import { formatPeerAddress, type PeerAddress } from './peer-address.ts';

export interface NodeState {
  readonly nodeName: string;
  readonly ports: { readonly highSpeed: HubPorts; readonly superSpeed: HubPorts };
  /** Where other nodes find the exporter; absent when devices are not shared, and then none is imported either. */
  readonly address?: PeerAddress;
}

/** `null` deletes a key, as in a merge patch (RFC 7396). */
type Marks = Record<string, string | null>;

export interface MarksPatch {
  readonly metadata: { readonly labels: Marks; readonly annotations: Marks };
}

function mark(present: boolean): string | null {
  return present ? 'true' : null;
}

function labels({ nodeName, ports, address }: NodeState): Marks {
  const highSpeed = address !== undefined && ports.highSpeed.used < ports.highSpeed.total;
  const superSpeed = address !== undefined && ports.superSpeed.used < ports.superSpeed.total;
  return {
    [NODE_LABELS.gateway]: 'true',
    [NODE_LABELS.gatewayShort]: 'true',
    [NODE_LABELS.gatewayNode]: highSpeed && superSpeed ? 'any' : nodeName,
    [NODE_LABELS.highSpeed]: mark(highSpeed),
    [NODE_LABELS.superSpeed]: mark(superSpeed),
  };
}

function annotations({ ports: { highSpeed, superSpeed }, address }: NodeState): Marks {
  return {
    [NODE_ANNOTATIONS.address]: address === undefined ? null : formatPeerAddress(address),
    [NODE_ANNOTATIONS.totalPorts]: String(highSpeed.total + superSpeed.total),
    [NODE_ANNOTATIONS.usedPorts]: String(highSpeed.used + superSpeed.used),
    [NODE_ANNOTATIONS.highSpeedUsed]: String(highSpeed.used),
    [NODE_ANNOTATIONS.superSpeedUsed]: String(superSpeed.used),
  };
}

function differences(wanted: Marks, present: Readonly<Record<string, string>> = {}): Marks {
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => (present[key] ?? null) !== value),
  );
}

function patch(wantedLabels: Marks, wantedAnnotations: Marks, metadata: ObjectMeta): MarksPatch | undefined {
  const changed = {
    labels: differences(wantedLabels, metadata.labels),
    annotations: differences(wantedAnnotations, metadata.annotations),
  };
  const count = Object.keys(changed.labels).length + Object.keys(changed.annotations).length;
  return count === 0 ? undefined : { metadata: changed };
}

/** A merge patch with the keys that differ; undefined when none does. Keys of others are never touched. */
export function planMarks(state: NodeState, metadata: ObjectMeta): MarksPatch | undefined {
  return patch(labels(state), annotations(state), metadata);
}

/**
 * After a clean stop nothing may be placed here: all labels go but `usb-gateway-node`, which says nothing without the
 * others. Annotations stay: running imports still use those ports.
 */
export function planUnmark(metadata: ObjectMeta): MarksPatch | undefined {
  const { gatewayNode: _, ...removed } = NODE_LABELS;
  return patch(Object.fromEntries(Object.values(removed).map((key) => [key, null])), {}, metadata);
}
