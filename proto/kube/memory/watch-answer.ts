// The answer to a watch: changes since a version, those to come, bookmarks, and an end in time.
import type { ServerResponse } from 'node:http';
import { ApiFailure } from './api-failure.ts';
import { type Change, type MemoryStore, withVersion } from './memory-store.ts';
import { apiVersionOf, type ServedKind, type StoredObject } from './served-kind.ts';

export interface WatchRequest {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly matches: (object: StoredObject) => boolean;
  /** '' and '0': begin with what there is, as ADDED. */
  readonly resourceVersion: string;
  readonly bookmarks: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A too old version is answered as the watch cache does: status 200 and one ERROR event. */
export function answerWatch(
  store: MemoryStore,
  request: WatchRequest,
  answer: ServerResponse,
  bookmarkInterval: number,
): void {
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.flushHeaders();
  const send = (type: string, object: object) => answer.write(`${JSON.stringify({ type, object })}\n`);
  let told = store.version;
  const sendChange = (change: Change) => {
    const event = selectedEvent(request, change);
    if (!event) return;
    told = change.version;
    send(event.type, event.object);
  };
  try {
    if (request.resourceVersion === '' || request.resourceVersion === '0') {
      const objects = store.list(request.kind, request.namespace).filter(request.matches);
      for (const object of objects) send('ADDED', object);
    } else store.changesSince(Number(request.resourceVersion)).forEach(sendChange);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    send('ERROR', error.toStatus());
    answer.end();
    return;
  }
  const bookmark = () => {
    // As seen with 1.37: a bookmark comes only when the version moved on while the watch was open.
    if (!request.bookmarks || store.version <= told) return;
    told = store.version;
    send('BOOKMARK', bookmarkObject(request.kind, told));
  };
  const unsubscribe = store.subscribe(sendChange);
  const beat = setInterval(bookmark, bookmarkInterval);
  const end = setTimeout(() => {
    bookmark();
    answer.end();
  }, request.timeout);
  answer.once('close', () => {
    unsubscribe();
    clearInterval(beat);
    clearTimeout(end);
  });
}

/** What a change is to a watch with a selection: objects enter and leave it. */
function selectedEvent(
  { kind, namespace, matches }: WatchRequest,
  change: Change,
): { type: string; object: StoredObject } | undefined {
  if (change.kind !== kind) return undefined;
  const chosen = (object: StoredObject | undefined): object is StoredObject =>
    object !== undefined &&
    (namespace === undefined || object.metadata.namespace === namespace) &&
    matches(object);
  const { object, previous, version } = change;
  if (chosen(object)) return { type: chosen(previous) ? 'MODIFIED' : 'ADDED', object };
  return chosen(previous) ? { type: 'DELETED', object: withVersion(previous, version) } : undefined;
}

function bookmarkObject(kind: ServedKind, version: number): object {
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { resourceVersion: String(version), creationTimestamp: null },
  };
}
