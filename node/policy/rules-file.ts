// Reads the rules file that an administrator mounts into the agent.
import { readFile } from 'node:fs/promises';
import { TypedError } from '../../proto/api/typed-error.ts';
import { parseRules } from './parse-rules.ts';
import type { RuleSet } from './rule-set.ts';

/** Rejects with BAD_POLICY when the file can't be read or has mistakes; the agent does not start then. */
export async function readRulesFile(path: string): Promise<RuleSet> {
  return parseRules(await textOf(path), path);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypedError('BAD_POLICY', `cannot read the rules: ${reason}`, 'check that the file is mounted', {
      cause,
    });
  }
}
