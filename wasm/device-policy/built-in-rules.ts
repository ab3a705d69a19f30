// The rules that no administrator can overrule: what the node needs itself is never given away.
import type { Device, NodeUse } from '../gen/device-policy/interfaces/virt-device-policy-policy.js';

/** Class code 09h of the USB-IF: hub. The kernel's hub driver binds to interfaces of that class. */
const HUB = 0x09;

/** Why a device can't be offered whatever the rules say, or undefined. */
export function builtInBlock(device: Device): { rule: string; reason: string } | undefined {
  if (device.isHub || device.class === HUB || device.interfaces.some((face) => face.class === HUB)) {
    return {
      rule: 'built-in/hub',
      reason: 'hubs are never offered; the devices behind it are judged one by one',
    };
  }
  if (device.imported) {
    return {
      rule: 'built-in/imported',
      reason: 'it belongs to another node and is used here over the network',
    };
  }
  // Tools and people look for this one word; the sentence after it says which disk or network card.
  const uses = describeUse(device.inUse);
  if (uses.length > 0) {
    return { rule: 'built-in/in-use-by-node', reason: `InUseByNode: ${uses.join('; ')}` };
  }
  return undefined;
}

function describeUse(use: NodeUse): string[] {
  const kinds: [string, string[]][] = [
    ['mounted', use.mounts],
    ['swap', use.swaps],
    ['held', use.holders],
    ['network up', use.networkUp],
  ];
  return kinds.filter(([, names]) => names.length > 0).map(([kind, names]) => `${kind}: ${names.join(', ')}`);
}
