// Contract: what becomes of calls when connections break, hang or are slow.
import { expect, it } from 'vitest';
import { codeOf, take } from '../../support/kube-connection.ts';
import type { Subject } from './kube-under-test.ts';
import { type ConfigMap, configMaps, OwnObjects } from './own-objects.ts';
import { proxiedClient } from './proxied-client.ts';

export function connectionCases(subject: () => Subject): void {
  it('a kept connection that was closed between two calls costs neither of them', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject());
    for (const suffix of ['a', 'b', 'c']) {
      await client.create(configMaps, own.configMap(suffix));
      proxy.cut();
      // The end of the connection must arrive; a write that crosses it is the next case.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(own.suffixes((await client.list(configMaps, own.selection)).items)).toEqual(['a', 'b', 'c']);
  });

  it('a create whose answer is lost fails and is not done twice; a read is repeated', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject());
    await client.list(configMaps, own.selection);
    proxy.cutAnswerAfter(0);
    const { namespace, group } = own;
    const object = { metadata: { namespace, generateName: `${group}-`, labels: { group } } };
    expect(await codeOf(client.create(configMaps, object))).toBe('SERVER_UNREACHABLE');
    await client.list(configMaps, own.selection);
    proxy.cutAnswerAfter(0);
    expect((await client.list(configMaps, own.selection)).items).toHaveLength(1);
  });

  it('an answer that is cut in the middle is an error, and the next call works', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject());
    const made = await own.make('a', { big: 'x'.repeat(200_000) });
    await client.getRaw('/version');
    proxy.cutAnswerAfter(10_000);
    expect(await codeOf(client.get(configMaps, own.key(made)))).toBe('SERVER_UNREACHABLE');
    expect(await client.get(configMaps, own.key(made))).toEqual(made);
  });

  it('a call that hangs ends in time, and the next one works', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject());
    await client.list(configMaps, own.selection);
    proxy.stall();
    const begin = performance.now();
    expect(await codeOf(client.list(configMaps, own.selection, { timeout: 100 }))).toBe('TIMED_OUT');
    expect(performance.now() - begin).toBeLessThan(1000);
    proxy.flow();
    expect((await client.list(configMaps, own.selection)).items).toEqual([]);
  });

  it('answers and events that arrive byte by byte are whole', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject());
    proxy.drip();
    const { resourceVersion } = await client.list(configMaps, own.selection);
    const events = take(client.watch<ConfigMap>(configMaps, resourceVersion, own.selection), 2);
    const made = [await own.make('a', { color: 'grün ✓' }), await own.make('b', { color: '赤 🟥' })];
    expect(await events).toEqual(made.map((object) => ({ type: 'ADDED', object })));
    expect((await client.list<ConfigMap>(configMaps, own.selection)).items).toEqual(made);
  });

  it('a watch without a byte for too long is given up', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject(), { watchSeconds: [0, 0], watchGrace: 200 });
    const { resourceVersion } = await client.list(configMaps, own.selection);
    const watched = take(client.watch(configMaps, resourceVersion, own.selection), 2);
    await own.make('a');
    setTimeout(() => proxy.stall(), 100);
    expect(await codeOf(watched)).toBe('TIMED_OUT');
  });

  it('a watch that is cut is an error, not an end', async () => {
    const own = new OwnObjects(subject());
    const { client, proxy } = await proxiedClient(subject());
    const { resourceVersion } = await client.list(configMaps, own.selection);
    const events = client.watch(configMaps, resourceVersion, own.selection)[Symbol.asyncIterator]();
    const first = events.next();
    await own.make('a');
    await first;
    proxy.cut();
    expect(await codeOf(events.next())).toBe('SERVER_UNREACHABLE');
  });
}
