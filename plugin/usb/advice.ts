// Why a device cannot be used now, and what a person can do about it.
import { READY_REASONS } from '../../proto/api/names.ts';
import { conditionText, readyOf } from './condition.ts';
import type { DeviceRow } from './device-row.ts';

export interface Advice {
  readonly usable: string;
  readonly next: string;
}

/** One step that a person can take at once, a command where there is one. Texts are not safe for a terminal yet. */
export function adviceFor(row: DeviceRow): Advice {
  const { device, hold } = row;
  const claim = hold?.claim ? `claim ${hold.claim.namespace}/${hold.claim.name}` : 'a claim';
  const [vm] = row.assignment?.vms ?? [];
  const owner = row.assignment?.namespace;
  switch (row.state) {
    case 'Unreachable':
      return {
        usable: `no: ${row.unreachable}`,
        next: `kubectl get pods -A -l app=usb-agent --field-selector spec.nodeName=${row.node}; check the clock of this machine too`,
      };
    case 'Absent':
      if (!hold) {
        return {
          usable: `no: it is assigned to namespace ${owner}, but not plugged into node ${row.node}`,
          next: `plug it into node ${row.node} again, or give it up: kubectl virt usb unassign ${row.name}`,
        };
      }
      return {
        usable: `no: ${claim} holds it, but it is not plugged into node ${row.node}`,
        next: `plug it into node ${row.node} again, or delete what uses the claim to give the device up`,
      };
    case 'Blocked':
      return { usable: `no: ${device?.reason}`, next: unblock(device?.rule ?? '') };
    case 'Assigned':
      if (!hold) return adviceForAssigned(row);
      return {
        usable: `not yet: it is allocated to ${claim} and not attached`,
        next: hold?.pods[0]
          ? `kubectl describe pod ${hold.pods[0].name} -n ${hold.claim?.namespace}`
          : `kubectl describe resourceclaim ${hold?.claim?.name} -n ${hold?.claim?.namespace}`,
      };
    case 'Attached':
      if (vm) {
        return {
          usable: `in use by vm/${vm.name}.${vm.namespace}`,
          next: `it becomes free with: kubectl virt usb detach ${row.name} ${vm.name}.${vm.namespace}`,
        };
      }
      return {
        usable: `in use by ${hold?.pods[0] ? `pod ${hold.claim?.namespace}/${hold.pods[0].name}` : claim}`,
        next: 'it becomes free when what uses it is deleted',
      };
    case 'Available':
      return {
        usable: `yes, by ${offeredTo(device?.namespaces)}`,
        next: row.assignment?.nodeUsbDevice
          ? `give it to a namespace: kubectl virt usb assign ${row.name} -n NAMESPACE`
          : 'claim it from a pod with a resource claim',
      };
  }
}

/** Nobody holds it; a VM may wait for it. */
function adviceForAssigned({ name, assignment }: DeviceRow): Advice {
  const [vm] = assignment?.vms ?? [];
  const ready = readyOf(assignment);
  if (ready?.status === 'False') {
    const changed = ready.reason === READY_REASONS.fingerprintChanged;
    return {
      usable: `no: ${conditionText(ready)}`,
      next: changed
        ? `if it is the right device: kubectl virt usb assign ${name} -n ${assignment?.namespace} --approve-change`
        : `kubectl describe nodeusbdevice ${name}`,
    };
  }
  if (vm) {
    return {
      usable: `not yet: it is in the list of vm/${vm.name}.${vm.namespace} and not attached`,
      next: `kubectl describe virtualmachine ${vm.name} -n ${vm.namespace}`,
    };
  }
  return {
    usable: `yes, by virtual machines and pods of namespace ${assignment?.namespace}`,
    next: `kubectl virt usb attach ${name} VM.${assignment?.namespace}, or for a pod: kubectl virt usb claim ${name}`,
  };
}

function offeredTo(namespaces: readonly string[] | undefined): string {
  return namespaces ? `namespace ${namespaces.join(', ')}` : 'every namespace';
}

/** The prefixes are those of the device policy: built-in rules stand above all others, defaults below. */
function unblock(rule: string): string {
  if (rule === 'built-in/in-use-by-node') return 'stop its use on the node (unmount, swapoff, link down)';
  if (rule === 'built-in/undecided') return 'its agent has just started: look again in a few seconds';
  if (rule.startsWith('built-in/')) return 'devices of this kind are never given away';
  if (rule.startsWith('default/')) return 'an administrator can allow it with a rule of the agent';
  return `an administrator can change rule ${rule} of the agent`;
}
