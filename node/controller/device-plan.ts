// Everything that must be written for one device, in order: what is taken away, what is given, what is told. Pure.
import type { NodeUsbDevice } from '../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../proto/api/gen/usb-device.ts';
import { CONDITION_TYPES, READY_REASONS } from '../../proto/api/names.ts';
import { assignedCondition, type Holder } from './assigned-condition.ts';
import { attachedCondition, hasAttached } from './attached-condition.ts';
import { claimTemplate } from './claim-template.ts';
import { conditionOf, type WantedCondition } from './conditions.ts';
import { type DeviceIndex, useKey } from './device-index.ts';
import { isAnother, pinnedFingerprint } from './fingerprint-pin.ts';
import {
  type NodeUsbDeviceState,
  planDeletedDevice,
  planKnownDevice,
  planNewDevice,
} from './node-usb-device-plan.ts';
import type { TemplateFacts } from './observed.ts';
import type { DeviceFacts } from './plugged-devices.ts';
import { readyCondition } from './ready-condition.ts';
import type { Step } from './step.ts';
import { isControlledTemplate, planTemplate, templateRemoval } from './template-plan.ts';
import { planRemoval, planUsbDevice } from './usb-device-plan.ts';

/** `name` is that of the NodeUSBDevice; also when there is none, or none any more. */
export function planDevice(index: DeviceIndex, name: string, now: number): Step[] {
  const found = index.nodeUsbDevices.get(name);
  const device = deviceFacts(index, name, found);
  const deleted = found?.metadata.deletionTimestamp !== undefined;
  const namespace = found && !deleted ? homeOf(index, found) : undefined;
  const removal = planWithdrawal(index, name, namespace, now);
  if (!found) return [...removal.steps, ...planAppearance(index, name, device, removal, now)];
  if (deleted) return [...removal.steps, ...planFarewell(index, found, device, removal, now)];

  const pinned = pinnedFingerprint(found, device?.fingerprint);
  const ready = readyCondition(device, index.observed.nodes.get(device?.nodeName ?? ''), pinned);
  const attached = removal.attached ?? attachedIn(index, namespace, name, device);
  const assigned = assignedCondition(
    found.spec.assignedNamespace ?? '',
    namespace !== undefined,
    removal.holder,
  );
  const given =
    namespace !== undefined && !removal.holder
      ? planGift(index, found, namespace, { device, pinned, ready, attached }, now)
      : [];
  const state = { device, pinnedFingerprint: pinned, conditions: [ready, assigned, attached] };
  return [...removal.steps, ...given, ...planKnownDevice(found, state, now)];
}

/** While a pool is being rewritten, a device that it no longer lists is taken to be where it was. */
function deviceFacts(
  { plugged }: DeviceIndex,
  name: string,
  found: NodeUsbDevice | undefined,
): DeviceFacts | undefined {
  const listed = plugged.devices.get(name);
  const last = lastFacts(found);
  if (listed || !last || !plugged.incomplete.has(last.nodeName)) return listed;
  const ready = conditionOf(found?.status?.conditions, CONDITION_TYPES.ready);
  return ready && ready.reason !== READY_REASONS.notFound ? last : undefined;
}

function lastFacts(found: NodeUsbDevice | undefined): DeviceFacts | undefined {
  const { attributes, nodeName, identity, fingerprint } = found?.status ?? {};
  if (!attributes || nodeName === undefined) return undefined;
  return {
    attributes,
    nodeName,
    ...(identity !== undefined && { identity }),
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

/** The namespace that the device belongs in; undefined when it is given to nobody or to one that does not exist. */
function homeOf({ observed }: DeviceIndex, { spec }: NodeUsbDevice): string | undefined {
  const namespace = spec.assignedNamespace ?? '';
  return observed.namespaces.has(namespace) ? namespace : undefined;
}

function attachedIn(
  { observed, uses }: DeviceIndex,
  namespace: string | undefined,
  name: string,
  device: DeviceFacts | undefined,
): WantedCondition {
  const vms = namespace === undefined ? [] : (uses.get(useKey(namespace, name)) ?? []);
  return attachedCondition(name, device, vms, observed.nodes);
}

interface Withdrawal {
  readonly steps: Step[];
  /** Who still has it, and what Attached says of that. */
  readonly holder?: Holder;
  readonly attached?: WantedCondition;
}

/** From every namespace but `home`; there too when somebody deleted the USBDevice. */
function planWithdrawal(index: DeviceIndex, name: string, home: string | undefined, now: number): Withdrawal {
  const group = `device/${name}`;
  const leaving = (index.usbDevices.get(name) ?? []).filter(
    ({ metadata }) => metadata.namespace !== home || metadata.deletionTimestamp !== undefined,
  );
  // Before the USBDevices: nobody gets a new claim from a device that is taken away.
  const templates = (index.templates.get(name) ?? [])
    .filter((template) => isControlledTemplate(template) && template.metadata.namespace !== home)
    .map((template) => templateRemoval(group, template));
  const removals = leaving.map((found) => {
    const holder = holderOf(index, found);
    const attached = holder && attachedIn(index, holder.namespace, name, undefined);
    return { holder, attached, steps: planRemoval(group, found, attached, now) };
  });
  const steps = [...templates, ...removals.flatMap((removal) => removal.steps)];
  const held = removals.find(({ holder }) => holder);
  return held?.holder && held.attached ? { steps, holder: held.holder, attached: held.attached } : { steps };
}

/** Machines alone hold a USBDevice: pods hold their claim, which outlives the template that it was made from. */
function holderOf({ uses }: DeviceIndex, { metadata }: UsbDevice): Holder | undefined {
  const { namespace = '', name = '' } = metadata;
  const vm = (uses.get(useKey(namespace, name)) ?? []).find((each) => hasAttached(each, name));
  return vm && { namespace, vm: vm.metadata.name };
}

interface Gift {
  readonly device: DeviceFacts | undefined;
  readonly pinned: string | undefined;
  readonly ready: WantedCondition;
  readonly attached: WantedCondition;
}

/** USBDevice before template: that is owned by it. */
function planGift(
  index: DeviceIndex,
  owner: NodeUsbDevice,
  namespace: string,
  { device, pinned, ready, attached }: Gift,
  now: number,
): Step[] {
  const name = owner.metadata.name ?? '';
  const group = `device/${name}`;
  const here = ({ metadata }: TemplateFacts | UsbDevice) => metadata.namespace === namespace;
  const found = index.usbDevices
    .get(name)
    ?.find((each) => here(each) && each.metadata.deletionTimestamp === undefined);
  // A device that is away is shown as it was when it was last there.
  const known = device ?? lastFacts(owner);
  const template = index.templates.get(name)?.find(here);
  return [
    ...planUsbDevice(group, namespace, owner, found, { device: known, conditions: [ready, attached] }, now),
    // Only the absence of the template keeps pods from a device that is another than the one that was assigned; also
    // while it is pulled out, because it may come back.
    ...(isAnother(known?.fingerprint, pinned)
      ? template
        ? [templateRemoval(group, template)]
        : []
      : planTemplate(
          group,
          claimTemplate({ namespace, name }, known?.attributes.name ?? name),
          { kind: 'usbDevices', key: { namespace, name }, uid: found?.metadata.uid },
          template,
        )),
  ];
}

function planAppearance(
  index: DeviceIndex,
  name: string,
  device: DeviceFacts | undefined,
  { attached }: Withdrawal,
  now: number,
): Step[] {
  if (!device) return [];
  const state: NodeUsbDeviceState = {
    device,
    pinnedFingerprint: undefined,
    conditions: [
      readyCondition(device, index.observed.nodes.get(device.nodeName), undefined),
      assignedCondition('', false, undefined),
      attached ?? attachedIn(index, undefined, name, device),
    ],
  };
  return [planNewDevice(name, state, now)];
}

/** An administrator deleted it: it comes back without an assignment when it is still plugged in. */
function planFarewell(
  index: DeviceIndex,
  found: NodeUsbDevice,
  device: DeviceFacts | undefined,
  removal: Withdrawal,
  now: number,
): Step[] {
  if (removal.holder) return [];
  const steps = planDeletedDevice(found);
  const gone = (found.metadata.finalizers?.length ?? 0) === steps.length;
  return gone ? [...steps, ...planAppearance(index, found.metadata.name ?? '', device, removal, now)] : steps;
}
