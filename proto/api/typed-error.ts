// The one error type that crosses module boundaries: what happened, to which object, what to do next.
import type { ErrorCode } from './error-codes.ts';

/**
 * An error meant for a person. `code` is stable and asserted by tests; `message` says what happened and to which
 * object, without a final full stop; `hint` says what to do next.
 */
export class TypedError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TypedError';
    this.code = code;
    this.hint = hint;
  }
}
