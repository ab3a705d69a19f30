// Watches the objects of a goal until it is reached, time is up, or the person stops it.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../../proto/kube/client.ts';
import type { ObjectCache } from '../../../proto/kube/watch/object-cache.ts';
import type { Progress } from '../../output/progress.ts';
import type { Host } from '../../run/host.ts';
import { Feed } from '../feed.ts';
import { type GoalState, goalState, objectsOf, type Seen } from './goal.ts';
import type { ObjectAddress, WaitStep } from './step.ts';

/** Milliseconds between two looks at the clock; a live line moves its seconds then. */
const TICK = 1000;

/**
 * `timeout` in milliseconds, Infinity for no limit. Rejects with TIMED_OUT and INTERRUPTED, which tell the last state
 * seen, and with what a watch cannot go on from (FORBIDDEN).
 */
export async function waitForGoal(
  kube: KubeClient,
  host: Host,
  { goal, look }: WaitStep,
  timeout: number,
  progress: Progress,
): Promise<void> {
  let last: GoalState = { reached: false, text: 'nothing heard from the server yet' };
  const write = (text: string) => {
    progress.clear();
    host.stderr.write(text);
  };
  const { signal, pause } = host;
  const feed = new Feed(kube, { signal, pause: pause.bind(host), stderr: { write } }, () => {
    if (!feed.synced) return;
    last = goalState(goal, seen());
    if (last.reached) feed.stop();
    else progress.state(last.text);
  });
  const seen = follow(feed, objectsOf(goal));
  for (let left = timeout; left > 0 && !feed.signal.aborted; left -= TICK) {
    await host.pause(Math.min(TICK, left), feed.signal);
    if (!feed.signal.aborted) progress.state(last.text);
  }
  // A watch that failed for good is the reason to tell, not the time that ran out meanwhile.
  feed.stop();
  await feed.end();
  if (last.reached) return progress.done(last.text);
  progress.clear();
  throw signal.aborted
    ? new TypedError('INTERRUPTED', `interrupted while it was: ${last.text}`, `look on with: ${look}`)
    : new TypedError(
        'TIMED_OUT',
        `not done in time; the last state was: ${last.text}`,
        `look on with: ${look}`,
      );
}

/** One watch an object; a kind that the goal does not need is not asked for. */
function follow(feed: Feed, { nodeUsbDevice, usbDevice, vm }: ReturnType<typeof objectsOf>): () => Seen {
  const one = <T extends KubeObject>(address: ObjectAddress | undefined) => {
    if (!address) return undefined;
    const { namespace, name } = address.key;
    const place = namespace === undefined ? {} : { namespace };
    return feed.follow<T>(address.type, { ...place, fieldSelector: `metadata.name=${name}` });
  };
  const caches = {
    nodeUsbDevice: one<NonNullable<Seen['nodeUsbDevice']>>(nodeUsbDevice),
    usbDevice: one<NonNullable<Seen['usbDevice']>>(usbDevice),
    vm: one<NonNullable<Seen['vm']>>(vm),
  };
  return () => ({
    nodeUsbDevice: only(caches.nodeUsbDevice),
    usbDevice: only(caches.usbDevice),
    vm: only(caches.vm),
  });
}

/** The field selector lets one object through, or none. */
function only<T extends KubeObject>(cache: ObjectCache<T> | undefined): T | undefined {
  return cache?.values().next().value;
}
