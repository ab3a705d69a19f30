// The body of a watch as events.
import type { IncomingMessage } from 'node:http';
import { TypedError } from '../../api/typed-error.ts';
import type { KubeObject, WatchEvent } from '../client.ts';
import { type CallSubject, subjectText } from './call-subject.ts';
import { connectionError } from './connection-error.ts';
import { interruption } from './deadline.ts';
import { LineSplitter } from './line-splitter.ts';
import { decodeWatchEvent } from './watch-event.ts';

/** etcd takes objects up to 1.5 MiB; JSON and managedFields make more of it. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Ends when the server ends the watch. Throws TIMED_OUT when no byte came for `idle` ms, INTERRUPTED at the caller's
 * signal, SERVER_UNREACHABLE when the connection broke. What the consumer throws is the consumer's: leaving the loop
 * early closes the connection.
 */
export async function* watchEvents<T extends KubeObject>(
  subject: CallSubject,
  answer: IncomingMessage,
  idle: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<T>> {
  const { socket } = answer;
  const giveUp = () => answer.destroy(silence(subject, idle));
  const stop = () => answer.destroy(interruption(subject, signal));
  socket.setTimeout(idle, giveUp);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const lines = new LineSplitter(LONGEST_LINE);
  const parts: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]();
  try {
    for (;;) {
      const part = await parts.next().catch((error: unknown) => {
        throw connectionError(subject, error);
      });
      if (part.done) break;
      for (const line of lines.push(part.value)) yield decodeWatchEvent<T>(subject, line);
    }
  } finally {
    // The connection and the signal may serve other calls after this one.
    socket.setTimeout(0, giveUp);
    signal?.removeEventListener('abort', stop);
    answer.destroy();
  }
  if (lines.held > 0) {
    throw new TypedError('PROTOCOL', `${subjectText(subject)}: the watch ended inside an event`);
  }
}

function silence(subject: CallSubject, idle: number): TypedError {
  return new TypedError(
    'TIMED_OUT',
    `${subjectText(subject)}: no byte for ${Math.round(idle / 1000)} s`,
    'the connection is dead or a proxy holds answers back',
  );
}
