// The rules of an administrator, made ready for judging: checked once, then asked for each device.
import type { Device, Node, Rule } from '../gen/device-policy/interfaces/virt-device-policy-policy.js';
import { glob } from './glob.ts';
import { idPattern } from './id-pattern.ts';
import { interfaceSet } from './interface-set.ts';

/** A device with its id as text, which most rules ask for. */
export interface Subject {
  readonly device: Device;
  readonly id: string;
}

type Condition = (subject: Subject) => boolean;

export interface GivenRule {
  readonly rule: Rule;
  readonly matches: Condition;
}

/** The rules that apply to the node, in their order. Throws an Error that names the first bad rule, of any node. */
export function prepareRules(rules: Rule[], node: Node): GivenRule[] {
  const names = new Set<string>();
  const prepared: GivenRule[] = [];
  for (const [index, rule] of rules.entries()) {
    try {
      checkRule(rule, names);
      names.add(rule.name);
      // Before the node is looked at: a rules file is good or bad on all nodes alike.
      const conditions = conditionsOf(rule);
      if (!appliesTo(rule, node)) continue;
      prepared.push({ rule, matches: (subject) => conditions.every((holds) => holds(subject)) });
    } catch (error) {
      // The engine's own failures, such as being out of memory, say nothing about the rule.
      if (!(error instanceof Error && error.name === 'Error')) throw error;
      throw new Error(`rule ${index + 1} "${rule.name}": ${error.message}`);
    }
  }
  return prepared;
}

function checkRule(rule: Rule, names: ReadonlySet<string>): void {
  if (rule.name === '') throw new Error('the name is empty');
  if (/^(built-in|default)\//.test(rule.name)) throw new Error('built-in/ and default/ are reserved');
  if (names.has(rule.name)) throw new Error('the name is used twice');
  if (rule.verdict === 'block' && rule.namespaces.length > 0) {
    throw new Error('a blocking rule has no namespaces');
  }
}

/** An absent option arrives as null in this engine, which the generated types don't know; `== null` covers both. */
function conditionsOf(rule: Rule): Condition[] {
  const conditions: Condition[] = [];
  const add = (pattern: string | undefined, make: (pattern: string) => Condition) => {
    if (pattern != null) conditions.push(make(pattern));
  };
  const text = (pattern: string | undefined, of: (device: Device) => string | undefined) =>
    add(pattern, (given) => {
      const matches = textGlob(given);
      return ({ device }) => matches(of(device) ?? '');
    });
  add(rule.id, (given) => {
    const matches = idPattern(given);
    return ({ id }) => matches(id);
  });
  text(rule.serial, (device) => device.serial);
  text(rule.product, (device) => device.product);
  text(rule.hash, (device) => device.fingerprint);
  text(rule.viaPort, (device) => device.port);
  for (const test of rule.withInterface) {
    const holds = interfaceSet(test);
    conditions.push(({ device }) => holds(device.interfaces));
  }
  return conditions;
}

/** The empty glob means "has no such text"; any other needs the text to be there. */
function textGlob(pattern: string): (text: string) => boolean {
  const matches = glob(pattern);
  return (text) => (text === '') === (pattern === '') && matches(text);
}

function appliesTo(rule: Rule, node: Node): boolean {
  if (rule.node != null && !textGlob(rule.node)(node.name)) return false;
  return rule.nodeLabels.every((test) => {
    const matches = glob(test.value);
    return node.labels.some((label) => label.key === test.key && matches(label.value));
  });
}
