// The NodeUSBDevice of one device: made when it is plugged in, its status, deleted when nobody needs it. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import { CONDITION_TYPES, FINALIZERS, NODE_USB_DEVICE, READY_REASONS } from '../../proto/api/names.ts';
import { conditionOf, nextConditions, type WantedCondition } from './conditions.ts';
import type { DeviceFacts } from './plugged-devices.ts';
import type { Step } from './step.ts';
import { transitionNotes } from './transition-notes.ts';

type Status = NonNullable<NodeUsbDevice['status']>;

export interface NodeUsbDeviceState {
  readonly device: DeviceFacts | undefined;
  readonly pinnedFingerprint: string | undefined;
  readonly conditions: readonly WantedCondition[];
}

/** Milliseconds: a device that is plugged in again sooner keeps its object although nobody has it assigned. */
export const REPLUG_GRACE = 60_000;

/**
 * There is no owner reference to the ResourceSlice: pulling out the last device of a node deletes the slice, and the
 * assignment would be collected with it.
 */
export function planNewDevice(name: string, state: NodeUsbDeviceState, now: number): Step {
  const status = nextStatus(undefined, state, 1, now);
  const object: NodeUsbDevice = {
    apiVersion: `${NODE_USB_DEVICE.group}/${NODE_USB_DEVICE.version}`,
    kind: NODE_USB_DEVICE.kind,
    metadata: { name },
    spec: { assignedNamespace: '' },
  };
  const notes = transitionNotes(undefined, status.conditions ?? []);
  return { ...target(name), do: 'create', object, status, notes };
}

/** Its status, or its end. The caller has dealt with its USBDevices before: what it says of them is then true. */
export function planKnownDevice(found: NodeUsbDevice, state: NodeUsbDeviceState, now: number): Step[] {
  const { metadata, status: before } = found;
  const { name = '', uid, resourceVersion: version } = metadata;
  const status = nextStatus(before, state, metadata.generation ?? 1, now);
  // With the version: whoever assigns it in this moment keeps it.
  if (isForgotten(found, status, now)) return [{ ...target(name), do: 'delete', uid, version }];
  if (isDeepStrictEqual(status, before)) return [];
  const notes = transitionNotes(before?.conditions, status.conditions ?? []);
  return [{ ...target(name), do: 'status', object: found, status, notes }];
}

/** The finalizer that the former component left; once the USBDevices are away nothing needs it. */
export function planDeletedDevice(found: NodeUsbDevice): Step[] {
  const { name = '', finalizers = [] } = found.metadata;
  if (!finalizers.includes(FINALIZERS.nodeUsbDevice)) return [];
  const left = finalizers.filter((each) => each !== FINALIZERS.nodeUsbDevice);
  return [{ ...target(name), do: 'patch', object: found, patch: { metadata: { finalizers: left } } }];
}

function target(name: string) {
  return { group: `device/${name}`, kind: 'nodeUsbDevices', key: { name } } as const;
}

/** A minute, or more when it was not ready for another reason before: the API keeps one time for both. */
function isForgotten({ spec }: NodeUsbDevice, { conditions }: Status, now: number): boolean {
  const ready = conditionOf(conditions, CONDITION_TYPES.ready);
  if (spec.assignedNamespace || ready?.reason !== READY_REASONS.notFound) return false;
  return now - Date.parse(ready.lastTransitionTime) >= REPLUG_GRACE;
}

/** Of a device that is away the last that was known of it stays. */
function nextStatus(
  previous: Status | undefined,
  { device, pinnedFingerprint, conditions }: NodeUsbDeviceState,
  generation: number,
  now: number,
): Status {
  const { conditions: _, observedGeneration: __, pinnedFingerprint: ___, ...before } = previous ?? {};
  return {
    ...(device ?? before),
    ...(pinnedFingerprint !== undefined && { pinnedFingerprint }),
    conditions: nextConditions(previous?.conditions, conditions, generation, now),
    observedGeneration: generation,
  };
}
