// The command line of `npm run lab:test`.
import { parseArgs } from 'node:util';
import { LabError } from './lab-error.ts';

export interface TestArguments {
  /** Folders below test/lab; never empty. */
  readonly groups: readonly string[];
  /** Repetitions in full instead of at a tenth. */
  readonly soak: boolean;
  /** Only tests whose name matches, a regular expression. */
  readonly name: string | undefined;
}

/** Without groups all existing ones run; throws LabError that names them when one does not exist. */
export function parseTestArguments(argv: readonly string[], existing: readonly string[]): TestArguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { soak: { type: 'boolean', default: false }, name: { type: 'string', short: 't' } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((group) => !existing.includes(group));
  if (unknown.length > 0) {
    throw new LabError(`there is no lab test group ${unknown.join(', ')}`, `groups: ${existing.join(', ')}`);
  }
  return { groups: positionals.length > 0 ? positionals : existing, soak: values.soak, name: values.name };
}
