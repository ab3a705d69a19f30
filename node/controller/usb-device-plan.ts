// USBDevices of one name: kept in the namespace that the device is assigned to, taken away everywhere else. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import { CONDITION_TYPES, FINALIZERS, READY_REASONS, USB_DEVICE } from '../../proto/api/names.ts';
import type { ObjectMeta } from '../../proto/api/resource.ts';
import { nextConditions, type WantedCondition } from './conditions.ts';
import { ownerReference } from './owner-reference.ts';
import type { DeviceFacts } from './plugged-devices.ts';
import type { Step } from './step.ts';
import { transitionNotes } from './transition-notes.ts';

type Status = NonNullable<UsbDevice['status']>;

/** What a USBDevice tells. */
export interface UsbDeviceState {
  readonly device: DeviceFacts | undefined;
  readonly conditions: readonly WantedCondition[];
}

/** Makes it, or brings it up to date: owner, finalizer, status. It is not being deleted. */
export function planUsbDevice(
  group: string,
  namespace: string,
  owner: NodeUsbDevice,
  found: UsbDevice | undefined,
  state: UsbDeviceState,
  now: number,
): Step[] {
  const name = owner.metadata.name ?? '';
  const target = { group, kind: 'usbDevices', key: { namespace, name } } as const;
  if (found) return [...adoption(target, owner, found), ...statusStep(target, found, state, now)];
  const status = nextStatus(undefined, state, 1, now);
  const message = `assigned to namespace ${namespace}`;
  return [
    {
      ...target,
      do: 'create',
      object: newUsbDevice(namespace, name),
      owner: { kind: 'nodeUsbDevices', key: { name }, uid: owner.metadata.uid },
      status,
      notes: [
        { type: 'Normal', reason: 'Assigned', message },
        ...transitionNotes(undefined, status.conditions ?? []),
      ],
    },
  ];
}

/**
 * Takes it away. While a virtual machine has the device (`inUse`) the finalizer holds the object, marked for deletion,
 * so that the machine's controller can see what to detach.
 */
export function planRemoval(
  group: string,
  found: UsbDevice,
  inUse: WantedCondition | undefined,
  now: number,
): Step[] {
  const { namespace = '', name = '', uid, deletionTimestamp } = found.metadata;
  const target = { group, kind: 'usbDevices', key: { namespace, name } } as const;
  const deletion: Step[] = deletionTimestamp ? [] : [{ ...target, do: 'delete', uid }];
  if (!inUse) return [...release(target, found), ...deletion];
  const ready: WantedCondition = {
    type: CONDITION_TYPES.ready,
    status: 'False',
    reason: READY_REASONS.notReady,
    message: 'it is being taken from this namespace and waits to be detached',
  };
  const state = { device: undefined, conditions: [ready, inUse] };
  return [...statusStep(target, found, state, now), ...deletion];
}

type Target = Pick<Step, 'group' | 'kind' | 'key'>;

function newUsbDevice(namespace: string, name: string): UsbDevice {
  return {
    apiVersion: `${USB_DEVICE.group}/${USB_DEVICE.version}`,
    kind: USB_DEVICE.kind,
    metadata: { namespace, name, finalizers: [FINALIZERS.usbDevice] },
  };
}

/** An object that was restored from a backup names an owner that is no more, and would be collected as garbage. */
function adoption(target: Target, owner: NodeUsbDevice, found: UsbDevice): Step[] {
  const { ownerReferences = [], finalizers = [] } = found.metadata;
  const { name = '', uid = '' } = owner.metadata;
  const metadata: Pick<ObjectMeta, 'ownerReferences' | 'finalizers'> = {
    ...(!ownerReferences.some((reference) => reference.uid === uid) && {
      ownerReferences: [ownerReference('nodeUsbDevices', name, uid)],
    }),
    ...(!finalizers.includes(FINALIZERS.usbDevice) && { finalizers: [...finalizers, FINALIZERS.usbDevice] }),
  };
  if (Object.keys(metadata).length === 0) return [];
  return [{ ...target, do: 'patch', object: found, patch: { metadata } }];
}

/** A patch of its own before the deletion: a crash in between leaves an object that the next plan deletes or adopts. */
function release(target: Target, found: UsbDevice): Step[] {
  const { finalizers = [] } = found.metadata;
  if (!finalizers.includes(FINALIZERS.usbDevice)) return [];
  const left = finalizers.filter((each) => each !== FINALIZERS.usbDevice);
  return [{ ...target, do: 'patch', object: found, patch: { metadata: { finalizers: left } } }];
}

/** Status is replaced as a whole, so that nothing of an earlier device is left in it. */
function statusStep(target: Target, found: UsbDevice, state: UsbDeviceState, now: number): Step[] {
  const status = nextStatus(found.status, state, found.metadata.generation ?? 1, now);
  if (isDeepStrictEqual(status, found.status)) return [];
  const notes = transitionNotes(found.status?.conditions, status.conditions ?? []);
  return [{ ...target, do: 'status', object: found, status, notes }];
}

/** Of a device that is away the last that was known of it stays. */
function nextStatus(
  previous: Status | undefined,
  { device, conditions }: UsbDeviceState,
  generation: number,
  now: number,
): Status {
  const { conditions: _, observedGeneration: __, ...before } = previous ?? {};
  return {
    ...(device ?? before),
    conditions: nextConditions(previous?.conditions, conditions, generation, now),
    observedGeneration: generation,
  };
}
