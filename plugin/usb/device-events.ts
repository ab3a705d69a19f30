// What happened to a device lately: the events about the claim and the pods that hold it.
import type { ObjectMeta } from '../../proto/api/resource.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { Hold } from './hold.ts';

export interface EventObject {
  readonly reason: string;
  readonly type: string;
  readonly message: string;
  /** RFC 3339. */
  readonly time: string | undefined;
  /** e.g. `pod/web`. */
  readonly of: string;
}

/** The core v1 Event, as far as it is shown. */
interface CoreEvent {
  metadata: ObjectMeta;
  involvedObject: { kind?: string; name?: string; uid?: string };
  reason?: string;
  message?: string;
  type?: string;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  series?: { lastObservedTime?: string };
}

const MOST = 10;

/** The last ten, newest last; undefined when this person may not list events. */
export async function readEvents(
  kube: KubeClient,
  hold: Hold | undefined,
): Promise<EventObject[] | undefined> {
  if (!hold?.claim) return [];
  const { namespace, uid } = hold.claim;
  try {
    const lists = await Promise.all(
      [uid, ...hold.pods.map((pod) => pod.uid)].map((one) =>
        kube.list<CoreEvent>(RESOURCE_TYPES.events, {
          namespace,
          fieldSelector: `involvedObject.uid=${one}`,
        }),
      ),
    );
    return lists
      .flatMap(({ items }) => items.map(eventOf))
      .sort((a, b) => Date.parse(a.time ?? '') - Date.parse(b.time ?? ''))
      .slice(-MOST);
  } catch (error) {
    if (error instanceof TypedError && error.code === 'FORBIDDEN') return undefined;
    throw error;
  }
}

/** Events of the new API have `eventTime` and `series`, those of the old one `lastTimestamp`. */
function eventOf(event: CoreEvent): EventObject {
  const { kind = 'object', name = '' } = event.involvedObject;
  return {
    reason: event.reason ?? '',
    type: event.type ?? 'Normal',
    message: event.message ?? '',
    time:
      event.series?.lastObservedTime ??
      event.lastTimestamp ??
      event.eventTime ??
      event.metadata.creationTimestamp,
    of: `${kind.toLowerCase()}/${name}`,
  };
}
