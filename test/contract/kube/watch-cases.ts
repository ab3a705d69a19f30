// Contract: one watch tells all changes after its version, in order.
import { expect, it } from 'vitest';
import type { KubeObject, WatchEvent } from '../../../proto/kube/client.ts';
import { codeOf, take } from '../../support/kube-connection.ts';
import { gadgets } from './gadget-kind.ts';
import { FORGOTTEN, type Subject } from './kube-under-test.ts';
import { type ConfigMap, configMaps, OwnObjects } from './own-objects.ts';

export function watchCases(subject: () => Subject): void {
  const watching = async () => {
    const own = new OwnObjects(subject());
    const { resourceVersion } = await own.client.list(configMaps, own.selection);
    const from = (version: string) => own.client.watch<ConfigMap>(configMaps, version, own.selection);
    return { own, resourceVersion, from };
  };
  const shown = (own: OwnObjects, events: readonly WatchEvent<KubeObject>[]) =>
    events.map((event) =>
      event.type === 'BOOKMARK' ? event.type : `${event.type} ${own.suffix(event.object)}`,
    );

  it('tells what happened since the list, in order, and nothing before', async () => {
    const own = new OwnObjects(subject());
    const before = await own.make('a', { n: '1' });
    const { resourceVersion } = await own.client.list(configMaps, own.selection);
    await own.client.update(configMaps, { ...before, data: { n: '2' } });
    await own.make('b');
    await own.client.delete(configMaps, own.key(before));
    const events = await take(own.client.watch(configMaps, resourceVersion, own.selection), 3);
    expect(shown(own, events)).toEqual(['MODIFIED a', 'ADDED b', 'DELETED a']);
  });

  it('tells what happens while it is open', async () => {
    const { own, resourceVersion, from } = await watching();
    const events = take(from(resourceVersion), 1);
    await own.make('a');
    expect(shown(own, await events)).toEqual(['ADDED a']);
  });

  it('tells every change of many writers once, by growing versions', async () => {
    const { own, resourceVersion, from } = await watching();
    const suffixes = Array.from({ length: 20 }, (_, n) => String(n));
    const events = take(from(resourceVersion), suffixes.length * 2);
    await Promise.all(
      suffixes.map(async (suffix) => own.client.delete(configMaps, own.key(await own.make(suffix)))),
    );
    const seen = await events;
    const expected = suffixes.flatMap((suffix) => [`ADDED ${suffix}`, `DELETED ${suffix}`]);
    expect(shown(own, seen).sort()).toEqual(expected.sort());
    const versions = seen.map((event) => Number('object' in event && event.object.metadata.resourceVersion));
    expect(versions).toEqual([...new Set(versions)].sort((x, y) => x - y));
  });

  it('tells the last state of what was deleted, with the version of the deletion', async () => {
    const { own, resourceVersion, from } = await watching();
    const made = await own.make('a', { last: 'words' });
    await own.client.delete(configMaps, own.key(made));
    const event = (await take(from(resourceVersion), 2))[1];
    expect(event).toMatchObject({ type: 'DELETED', object: { data: { last: 'words' } } });
    const version = event?.type === 'DELETED' ? event.object.metadata.resourceVersion : undefined;
    expect(Number(version)).toBeGreaterThan(Number(made.metadata.resourceVersion));
  });

  it('resumes behind the last event seen', async () => {
    const { own, resourceVersion, from } = await watching();
    const first = await own.make('a');
    await own.make('b');
    expect(shown(own, await take(from(resourceVersion), 1))).toEqual(['ADDED a']);
    expect(shown(own, await take(from(first.metadata.resourceVersion ?? ''), 1))).toEqual(['ADDED b']);
  });

  it('sees objects enter and leave a selection', async () => {
    const { own, resourceVersion, from } = await watching();
    const made = await own.make('a');
    for (const group of [null, own.group]) {
      await own.client.patch(configMaps, own.key(made), 'merge', { metadata: { labels: { group } } });
    }
    const events = await take(from(resourceVersion), 3);
    expect(shown(own, events)).toEqual(['ADDED a', 'DELETED a', 'ADDED a']);
  });

  it('ends in time, with a bookmark that a quiet watch can resume from', async () => {
    const { own, resourceVersion, from } = await watching();
    const watched = take(from(resourceVersion));
    // Bookmarks come only when somebody writes to the kind while the watch is open.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await own.make('other', {}, { group: 'other' });
    const events = await watched;
    expect(new Set(shown(own, events))).toEqual(new Set(['BOOKMARK']));
    const last = events.at(-1);
    const bookmark = last?.type === 'BOOKMARK' ? last.resourceVersion : '';
    expect(Number(bookmark)).toBeGreaterThan(Number(resourceVersion));
    await own.make('a');
    expect(shown(own, await take(from(bookmark), 1))).toEqual(['ADDED a']);
  });

  it('from a version that is forgotten is GONE', async () => {
    const { client, selection } = new OwnObjects(subject());
    expect(await codeOf(take(client.watch(gadgets, FORGOTTEN, selection)))).toBe('GONE');
  });
}
