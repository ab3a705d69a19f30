// How an error reads where only text fits: pod events show it as the kubelet got it. Pure.
import type { TypedError } from '../../proto/api/typed-error.ts';

/** `what happened (CODE): what to do next`. */
export function errorText({ message, code, hint }: TypedError): string {
  return hint === undefined ? `${message} (${code})` : `${message} (${code}): ${hint}`;
}
