// The keys of a rule in a rules file: the form that each must have, and what it becomes in the policy's rule.
import type { InterfaceTest, Rule, SetOperator } from '../../wasm/host/device-policy.ts';

interface RuleField {
  /** Completes the sentence "<key> must be ...". */
  readonly form: string;
  /** The part of the rule that the value makes; undefined when it has another form. */
  read(value: unknown): Partial<Rule> | undefined;
}

const OPERATORS: readonly SetOperator[] = ['one-of', 'all-of', 'none-of', 'equals'];
const GLOB = 'a text in quotes, with * for any run of characters';

/** By key. A rule may have any of them; `name` and `verdict` it must have. */
export const RULE_FIELDS: Readonly<Record<string, RuleField>> = {
  name: {
    form: 'a text, not empty, not beginning with built-in/ or default/',
    read: (value) => (isText(value) && isFreeName(value) ? { name: value } : undefined),
  },
  verdict: {
    form: 'allow or block',
    read: (value) => (value === 'allow' || value === 'block' ? { verdict: value } : undefined),
  },
  id: {
    form: 'vid:pid in quotes, four hexadecimal digits each, with * for any run of them',
    read: (value) => (isText(value) && isId(value) ? { id: value } : undefined),
  },
  serial: { form: GLOB, read: (value) => (isText(value) ? { serial: value } : undefined) },
  product: { form: GLOB, read: (value) => (isText(value) ? { product: value } : undefined) },
  hash: { form: GLOB, read: (value) => (isText(value) ? { hash: value } : undefined) },
  'via-port': { form: GLOB, read: (value) => (isText(value) ? { viaPort: value } : undefined) },
  'with-interface': {
    form: `a map of ${OPERATORS.join(', ')} to lists of cc:ss:pp in quotes, two hexadecimal digits or * each`,
    read: readInterfaceTests,
  },
  node: { form: GLOB, read: (value) => (isText(value) ? { node: value } : undefined) },
  'node-labels': {
    form: 'a map of label names to texts in quotes, with * for any run of characters',
    read: readLabels,
  },
  namespaces: {
    form: 'a list of names of namespaces',
    read: (value) => (isListOf(value, isNamespace) ? { namespaces: value } : undefined),
  },
};

/** In a fixed order, so that the order in the file does not change the hash of the rules. */
function readInterfaceTests(value: unknown): Partial<Rule> | undefined {
  if (!isMap(value)) return undefined;
  const withInterface = OPERATORS.flatMap((operator): InterfaceTest[] => {
    const patterns = value[operator];
    return isListOf(patterns, isInterface) ? [{ operator, patterns }] : [];
  });
  const count = Object.keys(value).length;
  return count > 0 && withInterface.length === count ? { withInterface } : undefined;
}

function readLabels(value: unknown): Partial<Rule> | undefined {
  if (!isMap(value)) return undefined;
  const nodeLabels = Object.entries(value)
    .flatMap(([key, glob]) => (isText(glob) && key !== '' ? [{ key, value: glob }] : []))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const count = Object.keys(value).length;
  return count > 0 && nodeLabels.length === count ? { nodeLabels } : undefined;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** An empty list would mean "all" to the policy and "none" to a reader of the file. */
function isListOf(value: unknown, accepts: (item: unknown) => boolean): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every(accepts);
}

function isFreeName(name: string): boolean {
  return name !== '' && !/^(built-in|default)\//.test(name);
}

function isId(id: string): boolean {
  const parts = id.split(':');
  return parts.length === 2 && parts.every((part) => /^[0-9a-f*]+$/i.test(part) && isIdLength(part));
}

function isIdLength(part: string): boolean {
  const digits = part.replaceAll('*', '').length;
  return digits === 4 || (digits < 4 && part.includes('*'));
}

function isInterface(pattern: unknown): boolean {
  return isText(pattern) && /^([0-9a-f]{2}|\*)(:([0-9a-f]{2}|\*)){2}$/i.test(pattern);
}

/** RFC 1123 label, as Kubernetes asks of the names of namespaces. */
function isNamespace(name: unknown): boolean {
  return isText(name) && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);
}
