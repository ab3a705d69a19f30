// One question that a person answers with yes or no.
import { createInterface } from 'node:readline';

/**
 * Reads one line as the terminal gives it (no raw mode, so nothing has to be restored). Only `y` and `yes` mean yes;
 * Enter, anything else, Ctrl-D and the abort of `signal` mean no. `question` is one line of safe text.
 */
export async function ask(
  question: string,
  input: NodeJS.ReadableStream,
  write: (text: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  write(`${question} [y/N] `);
  const lines = createInterface({ input, terminal: false });
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    if (signal.aborted) resolve(undefined);
  });
  lines.close();
  // Without an Enter the cursor still stands behind the question.
  if (answer === undefined) write('\n');
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
