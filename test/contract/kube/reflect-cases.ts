// Contract: a reader is kept in step with a kind through everything that ends a watch.
import { expect, it, onTestFinished } from 'vitest';
import type { KubeObject, ResourceType } from '../../../proto/kube/client.ts';
import { type ReflectClient, reflect } from '../../../proto/kube/watch/reflect.ts';
import { until } from '../../support/kube-connection.ts';
import { gadgets } from './gadget-kind.ts';
import { FORGOTTEN, type Subject } from './kube-under-test.ts';
import { configMaps, OwnObjects } from './own-objects.ts';
import { proxiedClient } from './proxied-client.ts';

const BACKOFF = { first: 5, longest: 50 };

export function reflectCases(subject: () => Subject): void {
  it('goes on after a connection was cut: no new list, nothing twice, nothing lost', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject());
    const { log } = follow(client, own);
    await until(() => log.length > 0, 'the list');
    const made = await own.make('a');
    await until(() => log.includes('ADDED a'), 'a');
    proxy.cut();
    await own.make('b');
    await own.client.delete(configMaps, own.key(made));
    await until(() => log.includes('DELETED a'), 'the end of a');
    expect(changes(log)).toEqual(['SYNC ', 'ADDED a', 'ADDED b', 'DELETED a']);
    expect(log).toContain('ERROR SERVER_UNREACHABLE');
  });

  it('goes on after a connection fell silent', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject(), { watchSeconds: [0, 0], watchGrace: 200 });
    const { log } = follow(client, own);
    await until(() => log.length > 0, 'the list');
    await own.make('a');
    await until(() => log.includes('ADDED a'), 'a');
    proxy.stall();
    await own.make('b');
    await until(() => log.includes('ERROR TIMED_OUT'), 'the end of the silent watch');
    proxy.flow();
    await until(() => log.includes('ADDED b'), 'b');
    expect(changes(log)).toEqual(['SYNC ', 'ADDED a', 'ADDED b']);
  });

  it('goes on through ends of watches with what bookmarks said', async () => {
    const own = new OwnObjects(subject());
    const { log } = follow(subject().client, own);
    await until(() => log.length > 0, 'the list');
    const others = setInterval(() => void own.make(`other-${Math.random()}`, {}, { group: 'other' }), 250);
    await until(() => log.includes('BOOKMARK'), 'a bookmark', 20_000);
    clearInterval(others);
    await own.make('a');
    await until(() => log.includes('ADDED a'), 'a');
    expect(changes(log)).toEqual(['SYNC ', 'ADDED a']);
  });

  it('lists once more when its version is forgotten, and then knows what it missed', async () => {
    const own = new OwnObjects(subject());
    const { client } = subject();
    const made = await own.makeGadget('a');
    await own.makeGadget('b');
    let lists = 0;
    const missing: ReflectClient = {
      watch: (...args) => client.watch(...args),
      list: async (...args) => {
        const list = await client.list<never>(...args);
        if (++lists > 1) return list;
        await client.delete(gadgets, own.key(made));
        await own.makeGadget('c');
        return { ...list, resourceVersion: FORGOTTEN };
      },
    };
    const { log } = follow(missing, own, gadgets);
    await until(() => log.includes('SYNC b,c'), 'the second list');
    await own.makeGadget('d');
    await until(() => log.includes('ADDED d'), 'd');
    expect(log.filter((line) => line !== 'BOOKMARK')).toEqual([
      'SYNC a,b',
      'ERROR GONE',
      'SYNC b,c',
      'ADDED d',
    ]);
  });
}

/** Until the end of the test; `log` holds what the handlers were told. */
function follow(client: ReflectClient, own: OwnObjects, type: ResourceType = configMaps): { log: string[] } {
  const log: string[] = [];
  const abort = new AbortController();
  const done = reflect(
    client,
    type,
    { ...own.selection, backoff: BACKOFF, transform: (object: KubeObject) => object },
    {
      onSync: (items) => log.push(`SYNC ${own.suffixes(items)}`),
      onEvent: (event) =>
        log.push(event.type === 'BOOKMARK' ? event.type : `${event.type} ${own.suffix(event.object)}`),
      onError: ({ code }) => log.push(`ERROR ${code}`),
    },
    { signal: abort.signal },
  );
  onTestFinished(async () => {
    abort.abort();
    await done;
  });
  return { log };
}

function changes(log: readonly string[]): string[] {
  return log.filter((line) => /^(SYNC|ADDED|MODIFIED|DELETED)/.test(line));
}
