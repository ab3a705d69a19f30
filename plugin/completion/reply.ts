// What a shell is told, in the protocol of cobra that kubectl speaks with plugins: `value<TAB>description` lines, then
// a colon and the sum of directives (spf13/cobra, completions.go).
import { safeText } from '../output/safe-text.ts';
import type { Candidate } from './candidate.ts';

const NO_SPACE = 2;
const NO_FILES = 4;

export type Reply =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  /** The shell completes names of files. */
  | { readonly kind: 'files' };

/** Only candidates that begin with `typed` are told; what ends in `=` gets no space behind it. */
export function replyText(reply: Reply, typed: string): string {
  if (reply.kind === 'files') return ':0\n';
  const matching = reply.candidates.filter(
    ({ value }) => value.startsWith(typed) && value === safeText(value),
  );
  const goesOn = matching.length > 0 && matching.every(({ value }) => value.endsWith('='));
  const lines = matching.map(({ value, about }) => (about ? `${value}\t${safeText(about)}\n` : `${value}\n`));
  return `${lines.join('')}:${NO_FILES + (goesOn ? NO_SPACE : 0)}\n`;
}
