// Candidates that need no cluster: commands, flags and values of a closed set.
import type { Flag } from '../commands/flag.ts';
import type { Candidate } from './candidate.ts';
import type { Target } from './target.ts';

export function knownWords(target: Target): Candidate[] {
  switch (target.kind) {
    case 'command':
      return target.commands.map(({ name, about }) => ({ value: name, about }));
    case 'flag':
      return target.flags.map(({ name, about }) => ({ value: `--${name}`, about }));
    case 'value':
      return valuesOf(target.flag).map((value) => ({ value, about: '' }));
    default:
      return [];
  }
}

/** Of `jsonpath=TEMPLATE` up to the `=`: the rest is the person's. */
function valuesOf({ kind, choices = [] }: Flag): string[] {
  if (kind === 'switch') return ['true', 'false'];
  return choices.map((choice) => choice.replace(/=.*$/s, '='));
}
