// A bearer token as the value of the Authorization header.
import type { ErrorCode } from '../../api/error-codes.ts';
import { TypedError } from '../../api/typed-error.ts';

/** White space around the token is dropped: files end in a line end. Throws `code` for what no header may hold. */
export function bearerToken(token: string, where: string, code: ErrorCode): string {
  const text = token.trim();
  if (/^[\x21-\x7e]+$/.test(text)) return `Bearer ${text}`;
  const problem = text === '' ? 'is empty' : 'holds spaces or characters that no token has';
  throw new TypedError(code, `the token of ${where} ${problem}`, 'sign in again, or copy the token anew');
}
