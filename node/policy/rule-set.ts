// The rules in force: an ordered list and the hash that tells whether two nodes judge alike. Pure.
import { createHash } from 'node:crypto';
import type { Rule } from '../../wasm/host/device-policy.ts';

export interface RuleSet {
  readonly rules: readonly Rule[];
  /** SHA-256 over the rules as canonical JSON, 64 hexadecimal digits. */
  readonly hash: string;
}

export function ruleSet(rules: readonly Rule[]): RuleSet {
  return { rules, hash: createHash('sha256').update(canonicalJson(rules)).digest('hex') };
}

/** What is in force without a rules file: the built-in and the default rules of the policy alone. */
export const NO_RULES: RuleSet = ruleSet([]);

/** JSON without spaces and with the keys of each object in order, so that equal rules have equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
