// Why a device cannot be used now, and what a person can do about it.
import type { DeviceRow } from './device-row.ts';

export interface Advice {
  readonly usable: string;
  readonly next: string;
}

/** One step that a person can take at once, a command where there is one. Texts are not safe for a terminal yet. */
export function adviceFor(row: DeviceRow): Advice {
  const { device, hold } = row;
  const claim = hold?.claim ? `claim ${hold.claim.namespace}/${hold.claim.name}` : 'a claim';
  switch (row.state) {
    case 'Unreachable':
      return {
        usable: `no: ${row.unreachable}`,
        next: `kubectl get pods -A -l app=usb-agent --field-selector spec.nodeName=${row.node}; check the clock of this machine too`,
      };
    case 'Absent':
      return {
        usable: `no: ${claim} holds it, but it is not plugged into node ${row.node}`,
        next: `plug it into node ${row.node} again, or delete what uses the claim to give the device up`,
      };
    case 'Blocked':
      return { usable: `no: ${device?.reason}`, next: unblock(device?.rule ?? '') };
    case 'Assigned':
      return {
        usable: `not yet: it is allocated to ${claim} and not attached`,
        next: hold?.pods[0]
          ? `kubectl describe pod ${hold.pods[0].name} -n ${hold.claim?.namespace}`
          : `kubectl describe resourceclaim ${hold?.claim?.name} -n ${hold?.claim?.namespace}`,
      };
    case 'Attached':
      return {
        usable: `in use by ${hold?.pods[0] ? `pod ${hold.claim?.namespace}/${hold.pods[0].name}` : claim}`,
        next: 'it becomes free when what uses it is deleted',
      };
    case 'Available':
      return {
        usable: `yes, by ${offeredTo(device?.namespaces)}`,
        next: 'claim it from a pod with a resource claim',
      };
  }
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
