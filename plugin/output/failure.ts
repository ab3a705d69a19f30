// The one form in which an error reaches a person, and the exit code that goes with it.
import { ERROR_CODES } from '../../proto/api/error-codes.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { paint } from './paint.ts';
import { safeText } from './safe-text.ts';

/** `error: <what> (<CODE>)`, then `hint: <what to do>`. Anything but a TypedError is a fault of ours. */
export function describeFailure(error: unknown, colour: boolean): { text: string; exit: number } {
  const typed = error instanceof TypedError ? error : internal(error);
  const lines = [`${paint('error:', 'red', colour)} ${safeLines(typed.message)} (${typed.code})`];
  if (typed.hint) lines.push(`${paint('hint:', 'cyan', colour)} ${safeLines(typed.hint)}`);
  return { text: `${lines.join('\n')}\n`, exit: ERROR_CODES[typed.code].exit };
}

/** The stack goes with it: without it nobody could do anything about a report. */
function internal(error: unknown): TypedError {
  const message = error instanceof Error ? error.message : String(error);
  const where = error instanceof Error && error.stack ? `:\n${error.stack}` : '';
  return new TypedError('INTERNAL', message, `this is a fault of kubectl virt; please report it${where}`);
}

/** Line breaks are ours (lists of matches); everything else in a message may come from a server or a device. */
function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}
