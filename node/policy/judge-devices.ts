// Asks the device policy about the devices of this node, in the agent's own types.
import type { Decision, DevicePolicy } from '../../wasm/host/device-policy.ts';
import type { NamedDevice, Verdict } from '../usb/inventory.ts';
import type { NodeUse } from '../usb/node-use.ts';
import { toPolicyDevice } from './policy-device.ts';
import type { RuleSet } from './rule-set.ts';

export interface JudgedNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * One verdict a device, in their order. Throws BAD_POLICY or POLICY_TRAPPED: then nothing was decided, and a device
 * without a verdict must not be offered.
 */
export function judgeDevices(
  policy: DevicePolicy,
  { rules }: RuleSet,
  node: JudgedNode,
  devices: readonly { readonly named: NamedDevice; readonly use: NodeUse }[],
): Verdict[] {
  const labels = Object.entries(node.labels).map(([key, value]) => ({ key, value }));
  return policy
    .judge(
      devices.map(({ named, use }) => toPolicyDevice(named, use)),
      rules,
      { name: node.name, labels },
    )
    .map(toVerdict);
}

function toVerdict({ verdict, namespaces, rule, reason }: Decision): Verdict {
  return {
    verdict: verdict === 'blocked' ? 'Blocked' : 'Offered',
    ...(verdict === 'offered-to' && { namespaces }),
    rule,
    reason,
  };
}
