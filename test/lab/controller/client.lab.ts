// The contract of the Kubernetes client against a real kube-apiserver, and how long its calls take.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '../../../proto/kube/client.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { reflect } from '../../../proto/kube/watch/reflect.ts';
import { configMaps, OwnObjects } from '../../contract/kube/own-objects.ts';
import { proxiedClient } from '../../contract/kube/proxied-client.ts';
import { kubeClientContract } from '../../contract/kube/suite.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { quantile, summary } from '../usb/timing.ts';
import { RealServer } from './real-server.ts';

let server: RealServer | undefined;

async function realServer(): Promise<RealServer> {
  server ??= await RealServer.setUp(await sharedCluster(0));
  return server;
}

afterAll(() => server?.remove());

kubeClientContract('a real kube-apiserver', async () => (await realServer()).kube);

describe('figures', () => {
  let subject: { kube: RealServer['kube']; client: KubeClient };

  beforeAll(async () => {
    const { kube } = await realServer();
    subject = { kube, client: createKubeClient(kube.admin) };
  });
  afterAll(() => subject?.client.close());

  it('a list of 1,000 objects in pages', async () => {
    const own = new OwnObjects(subject);
    const numbers = Array.from({ length: 1_000 }, (_, n) => n);
    const makeSome = async () => {
      for (let n = numbers.pop(); n !== undefined; n = numbers.pop())
        await own.make(String(n), { n: String(n) });
    };
    await Promise.all(Array.from({ length: 10 }, makeSome));
    for (const limit of [1_000, 500, 100]) {
      const times: number[] = [];
      for (let run = 0; run < 5; run++) {
        const begin = performance.now();
        const { items } = await own.client.list(configMaps, { ...own.selection, limit });
        times.push(performance.now() - begin);
        expect(new Set(own.suffixes(items)).size).toBe(1_000);
      }
      console.log(summary(`list of 1,000 in pages of ${limit}`, times));
    }
  });

  it('an event of a watch comes soon', async () => {
    const own = new OwnObjects(subject);
    const { resourceVersion } = await own.client.list(configMaps, own.selection);
    const events = own.client.watch(configMaps, resourceVersion, own.selection)[Symbol.asyncIterator]();
    const afterCall: number[] = [];
    const afterAnswer: number[] = [];
    for (let run = 0; run < 100; run++) {
      const next = events.next();
      const begin = performance.now();
      const answered = own.make(String(run)).then(() => performance.now());
      await next;
      const seen = performance.now();
      afterCall.push(seen - begin);
      afterAnswer.push(Math.max(0, seen - (await answered)));
    }
    await events.return?.();
    console.log(summary('create called -> event', afterCall));
    console.log(summary('create answered -> event', afterAnswer));
    expect(quantile(afterCall, 0.5)).toBeLessThan(500);
  });

  it('a reader whose connection is cut is in step again soon', async () => {
    const own = new OwnObjects(subject);
    const { client, proxy } = await proxiedClient(subject);
    const abort = new AbortController();
    let told: (suffix: string) => void = () => undefined;
    const handlers = {
      onSync: () => told('list'),
      onEvent: (event: { type: string; object?: { metadata: { name?: string } } }) =>
        told(event.object ? own.suffix(event.object) : ''),
      onError: () => undefined,
    };
    const toldOf = (suffix: string) =>
      new Promise<void>((resolve) => {
        told = (seen) => seen === suffix && resolve();
      });
    const listed = toldOf('list');
    const options = { ...own.selection, transform: (object: object & { metadata: object }) => object };
    const done = reflect(client, configMaps, options, handlers, { signal: abort.signal });
    await listed;
    const times: number[] = [];
    for (let run = 0; run < 20; run++) {
      const before = toldOf(`before-${run}`);
      await own.make(`before-${run}`);
      await before;
      const after = toldOf(`after-${run}`);
      const begin = performance.now();
      proxy.cut();
      await own.make(`after-${run}`);
      await after;
      times.push(performance.now() - begin);
    }
    abort.abort();
    await done;
    console.log(summary('watch cut -> next event', times));
    expect(quantile(times, 0.5)).toBeLessThan(1_000);
  });
});
