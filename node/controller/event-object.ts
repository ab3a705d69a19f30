// A note as the Event that the API server keeps. Pure.
import type { KubeEvent } from '../../proto/api/event.ts';
import type { KubeObject } from '../../proto/kube/client.ts';
import { timestamp } from './conditions.ts';
import type { Note } from './note.ts';

/** Shown as the source of the events. */
const COMPONENT = 'usb-controller';

/** Where the API server wants events of cluster-scoped objects. */
const CLUSTER_NAMESPACE = 'default';

/** `now` in milliseconds since the epoch. */
export function eventObject(about: KubeObject, { type, reason, message }: Note, now: number): KubeEvent {
  const { apiVersion, kind, metadata } = about;
  const { namespace, name = '', uid } = metadata;
  const time = timestamp(now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: namespace ?? CLUSTER_NAMESPACE, generateName: `${name}.` },
    involvedObject: {
      ...(apiVersion !== undefined && { apiVersion }),
      ...(kind !== undefined && { kind }),
      ...(namespace !== undefined && { namespace }),
      name,
      ...(uid !== undefined && { uid }),
    },
    type,
    reason,
    message,
    source: { component: COMPONENT },
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
  };
}
