// Whatever happens to objects, connections and history: a reflected cache ends with what the server has.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient, KubeObject } from '../../../proto/kube/client.ts';
import { type MemoryApi, startMemoryApi } from '../../../proto/kube/memory/memory-api.ts';
import type { ServedKind } from '../../../proto/kube/memory/served-kind.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { ObjectCache } from '../../../proto/kube/watch/object-cache.ts';
import { reflect } from '../../../proto/kube/watch/reflect.ts';
import { connectionTo, until } from '../../support/kube-connection.ts';

type Step =
  | { readonly do: 'put' | 'label' | 'remove'; readonly name: string }
  | { readonly do: 'cut' | 'compact' | 'refuse' | 'break' | 'pause' };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('put', 'label', 'remove'), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('cut', 'compact', 'refuse', 'break', 'pause') }) },
);

describe('a reflected cache', () => {
  let api: MemoryApi;
  let client: KubeClient;
  let kind: ServedKind;

  beforeAll(async () => {
    api = await startMemoryApi({ keep: 3 });
    client = createKubeClient(connectionTo(api.url));
    kind = api.store.kinds.find(({ plural }) => plural === 'nodes') ?? expect.unreachable();
  });
  afterAll(async () => {
    client.close();
    await api.close();
  });

  /** A label moves an object out of what is watched and back. */
  async function perform(each: Step): Promise<unknown> {
    const isRead = (method: string) => method === 'GET';
    switch (each.do) {
      case 'put':
        return api.store.put(kind, { metadata: { name: each.name, labels: { seen: 'yes' } } });
      case 'label':
        return api.store.put(kind, { metadata: { name: each.name, labels: { seen: 'no' } } });
      case 'remove':
        if (!api.store.has(kind, each)) return undefined;
        return api.store.remove(kind, api.store.get(kind, each));
      case 'cut':
        return api.faults.cutWatches();
      case 'compact':
        return api.store.compact();
      case 'refuse':
        return api.faults.once({ status: 503 }, isRead);
      case 'break':
        return api.faults.once({ reset: true }, isRead);
      case 'pause':
        return new Promise((resolve) => setTimeout(resolve, 3));
    }
  }

  const versions = (objects: Iterable<KubeObject>) =>
    [...objects].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();

  it('ends with the objects of the server, at their versions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const cache = new ObjectCache<KubeObject>();
        const abort = new AbortController();
        const options = {
          labelSelector: 'seen=yes',
          transform: (object: KubeObject) => object,
          backoff: { first: 1, longest: 4 },
        };
        const done = reflect(client, kind, options, cache, { signal: abort.signal });
        for (const each of steps) await perform(each);
        const there = () =>
          versions(api.store.list(kind, undefined).filter(({ metadata }) => metadata.labels?.seen === 'yes'));
        await until(
          () => cache.synced && versions(cache.values()).join() === there().join(),
          `${there()} instead of ${versions(cache.values())}`,
        );
        abort.abort();
        await done;
      }),
      { numRuns: 25 },
    );
  });
});
