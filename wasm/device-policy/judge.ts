// Which devices are offered to whom: the first rule that matches decides.
import type {
  Decision,
  Device,
  Node,
  Rule,
} from '../gen/device-policy/interfaces/virt-device-policy-policy.js';
import { builtInBlock } from './built-in-rules.ts';
import { defaultBlock } from './default-rules.ts';
import { type GivenRule, prepareRules } from './given-rules.ts';
import { idText } from './id-pattern.ts';

type Ruling = Omit<Decision, 'device'>;

/** The exported `judge`; its contract is in the WIT. A thrown Error becomes the `err` of the result. */
export function judge(devices: Device[], rules: Rule[], node: Node): Decision[] {
  const given = prepareRules(rules, node);
  return devices.map((device, index) => ({ device: index, ...rulingOn(device, given) }));
}

function rulingOn(device: Device, given: readonly GivenRule[]): Ruling {
  const builtIn = builtInBlock(device);
  if (builtIn) return blocked(builtIn);
  const subject = { device, id: idText(device) };
  const first = given.find((candidate) => candidate.matches(subject));
  if (first) return rulingOf(first.rule);
  const byDefault = defaultBlock(device.interfaces);
  if (byDefault) return blocked(byDefault);
  return { verdict: 'offered', namespaces: [], rule: 'default/offer', reason: 'no rule blocks it' };
}

/** Nobody gets a blocked device, so it has no namespaces: a consumer that looks at them only is safe, too. */
function blocked(block: { rule: string; reason: string }): Ruling {
  return { verdict: 'blocked', namespaces: [], ...block };
}

function rulingOf(rule: Rule): Ruling {
  if (rule.verdict === 'block') return blocked({ rule: rule.name, reason: `rule ${rule.name} blocks it` });
  const { name, namespaces } = rule;
  return namespaces.length === 0
    ? { verdict: 'offered', namespaces, rule: name, reason: `rule ${name} allows it` }
    : {
        verdict: 'offered-to',
        namespaces,
        rule: name,
        reason: `rule ${name} allows it for ${namespaces.join(', ')}`,
      };
}
