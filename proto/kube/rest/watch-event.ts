// One line of a watch as an event.
import { TypedError } from '../../api/typed-error.ts';
import type { KubeObject, WatchEvent } from '../client.ts';
import { type ApiStatus, excerpt, statusError } from './answer-error.ts';
import { type CallSubject, subjectText } from './call-subject.ts';

interface WireEvent {
  readonly type: string;
  readonly object: KubeObject & ApiStatus;
}

/**
 * Throws what an ERROR event carries (410: GONE), and PROTOCOL for a line that is no event: guessing on would let a
 * cache drift from the truth unseen.
 */
export function decodeWatchEvent<T extends KubeObject>(subject: CallSubject, line: string): WatchEvent<T> {
  const event = parseEvent(line);
  switch (event?.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (!event.object.metadata?.resourceVersion) break;
      return { type: event.type, object: event.object as unknown as T };
    case 'BOOKMARK':
      if (!event.object.metadata?.resourceVersion) break;
      return { type: 'BOOKMARK', resourceVersion: event.object.metadata.resourceVersion };
    case 'ERROR':
      throw statusError(subject, event.object);
  }
  throw new TypedError('PROTOCOL', `${subjectText(subject)}: not a watch event: ${excerpt(line)}`);
}

function parseEvent(line: string): WireEvent | undefined {
  try {
    const value = JSON.parse(line) as Partial<WireEvent> | null;
    return typeof value?.object === 'object' && value.object !== null ? (value as WireEvent) : undefined;
  } catch {
    return undefined;
  }
}
