// From the text of a rules file (YAML or JSON, a list of rules) to typed rules, with every mistake reported at once.
import { parseDocument } from 'yaml';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { Rule } from '../../wasm/host/device-policy.ts';
import { isMap, RULE_FIELDS } from './rule-fields.ts';
import { type RuleSet, ruleSet } from './rule-set.ts';

const LONGEST_QUOTE = 60;

/**
 * Throws BAD_POLICY that names the file and, for each mistake, the rule (by place and name), the key and the allowed form.
 * An empty file is a mistake, too: a cut-off file must not lift every block. `[]` means "no rules".
 */
export function parseRules(text: string, file: string): RuleSet {
  const mistakes: string[] = [];
  const rules = readRules(parseYaml(text, mistakes), mistakes);
  if (mistakes.length > 0) {
    throw new TypedError(
      'BAD_POLICY',
      `${file}: ${mistakes.join('; ')}`,
      'correct the file and load it again',
    );
  }
  return ruleSet(rules);
}

function parseYaml(text: string, mistakes: string[]): unknown {
  const document = parseDocument(text);
  // Warnings are about tags that nobody can resolve: such a value is not what its author thinks it is.
  for (const { code, message } of [...document.errors, ...document.warnings]) {
    mistakes.push(code === 'MULTIPLE_DOCS' ? 'the file must be one YAML document' : firstLine(message));
  }
  if (mistakes.length > 0) return [];
  try {
    return document.toJS();
  } catch (error) {
    // Aliases that multiply: a small text that would become huge.
    mistakes.push(error instanceof Error ? error.message : String(error));
    return [];
  }
}

/** The parser puts a picture of the place below its message. */
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/:$/, '');
}

function readRules(list: unknown, mistakes: string[]): Rule[] {
  if (!Array.isArray(list)) {
    mistakes.push('the file must be a list of rules, each a map, or [] for none');
    return [];
  }
  const rules = list.map((item: unknown, index) =>
    readRule(item, (mistake) => {
      mistakes.push(`${titleOf(item, index)}: ${mistake}`);
    }),
  );
  for (const [index, { name }] of rules.entries()) {
    const first = rules.findIndex((rule) => rule.name === name);
    if (name !== '' && first < index) {
      mistakes.push(`${titleOf({ name }, index)}: rule ${first + 1} has the same name`);
    }
  }
  return rules;
}

/** A rule with mistakes comes back as far as it is known; its report keeps it from ever being used. */
function readRule(item: unknown, report: (mistake: string) => void): Rule {
  const rule: Rule = { name: '', verdict: 'block', withInterface: [], nodeLabels: [], namespaces: [] };
  if (!isMap(item)) {
    report(`must be a map of ${Object.keys(RULE_FIELDS).join(', ')}, is ${quote(item)}`);
    return rule;
  }
  for (const [key, value] of Object.entries(item)) {
    // Own keys only: `constructor` and the like are keys of every object.
    const field = Object.hasOwn(RULE_FIELDS, key) ? RULE_FIELDS[key] : undefined;
    if (field === undefined) {
      report(`unknown key ${quote(key)}, use ${Object.keys(RULE_FIELDS).join(', ')}`);
      continue;
    }
    const part = field.read(value);
    if (part === undefined) report(`${key} must be ${field.form}, is ${quote(value)}`);
    else Object.assign(rule, part);
  }
  for (const key of ['name', 'verdict']) {
    if (!Object.hasOwn(item, key)) report(`${key} is missing, it must be ${RULE_FIELDS[key]?.form}`);
  }
  if (item.verdict === 'block' && Object.hasOwn(item, 'namespaces')) {
    report('namespaces belong to rules that allow, one that blocks does so for all');
  }
  return rule;
}

function titleOf(item: unknown, index: number): string {
  const name = isMap(item) && typeof item.name === 'string' ? ` ${quote(item.name)}` : '';
  return `rule ${index + 1}${name}`;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text;
}
