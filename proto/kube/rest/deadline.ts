// Gives one call its end: the caller's signal or its own time limit, whichever comes first.
import { TypedError } from '../../api/typed-error.ts';
import type { CallOptions } from '../client.ts';
import { type CallSubject, subjectText } from './call-subject.ts';

/** Milliseconds. */
export const DEFAULT_TIMEOUT = 30_000;

/**
 * Runs `work` with a signal whose reason is the error to throw: TIMED_OUT, or what `interruption` makes of the
 * caller's signal. A listener on a signal that outlives many calls is taken off again, hence no AbortSignal.any.
 */
export async function withDeadline<T>(
  call: CallOptions,
  subject: CallSubject,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const timeout = call.timeout ?? DEFAULT_TIMEOUT;
  const onAbort = () => abort.abort(interruption(subject, call.signal));
  const timer = setTimeout(() => abort.abort(timedOut(subject, timeout)), timeout);
  call.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (call.signal?.aborted) throw interruption(subject, call.signal);
    return await work(abort.signal);
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', onAbort);
  }
}

/** The caller's own TypedError when it aborted with one, else INTERRUPTED. */
export function interruption(subject: CallSubject, signal: AbortSignal | undefined): TypedError {
  const reason: unknown = signal?.reason;
  if (reason instanceof TypedError) return reason;
  return new TypedError('INTERRUPTED', `${subjectText(subject)}: interrupted`, undefined, { cause: reason });
}

function timedOut(subject: CallSubject, timeout: number): TypedError {
  return new TypedError(
    'TIMED_OUT',
    `${subjectText(subject)}: no answer within ${Math.round(timeout / 100) / 10} s`,
    'check network, VPN and proxy, or give more time with --request-timeout',
  );
}
