// The driver with the real client, the real lock and an API server that answers over HTTP.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClaimCache } from '../../../node/dra/claim-cache.ts';
import { claimUse } from '../../../node/dra/claim-use.ts';
import type { PublishedDevice } from '../../../node/dra/device-attributes.ts';
import { DraDriver } from '../../../node/dra/driver.ts';
import { NodeMarker } from '../../../node/dra/node-marker.ts';
import { SlicePublisher } from '../../../node/dra/slice-publisher.ts';
import { withFileLock } from '../../../node/sys/file-lock.ts';
import { CLAIM_ANNOTATIONS, DRIVER, NODE_LABELS } from '../../../proto/api/names.ts';
import type { ResourceClaim, ResourceSlice } from '../../../proto/api/resource.ts';
import type { KubeClient, KubeObject, ResourceType } from '../../../proto/kube/client.ts';
import { type MemoryApi, startMemoryApi } from '../../../proto/kube/memory/memory-api.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { reflect } from '../../../proto/kube/watch/reflect.ts';
import { codeOf, DriverBench, NOTHING, quietLog } from '../../support/dra/driver-bench.ts';
import { claimObject, nodeObject, published, ref } from '../../support/dra/objects.ts';
import { connectionTo } from '../../support/kube-connection.ts';

const never = new AbortController().signal;
let api: MemoryApi;
let kube: KubeClient;
let bench: DriverBench;
let publisher: SlicePublisher;
let devices: PublishedDevice[];

beforeEach(async () => {
  api = await startMemoryApi();
  kube = createKubeClient(connectionTo(api.url), { watchSeconds: [1, 1] });
  bench = new DriverBench();
  seed(RESOURCE_TYPES.nodes, nodeObject('a', '10.0.0.1:4280'));
  devices = Array.from({ length: 70 }, (_, i) => published(`usb-${i}`, { serial: `S${i}` }));
  publisher = new SlicePublisher(kube, 'a', () => devices, quietLog);
});
afterEach(async () => {
  await publisher.stop();
  kube.close();
  await api.close();
  bench.dispose();
});

function seed({ group, version, plural }: ResourceType, object: KubeObject): void {
  const kind = api.store.kind(group, version, plural);
  if (!kind) throw new Error(`${plural} is not served`);
  const { name = '', uid = `uid-${name}`, ...metadata } = object.metadata;
  api.store.put(kind, { ...object, metadata: { ...metadata, name, uid } } as never);
}

const slices = async () => (await kube.list<ResourceSlice>(RESOURCE_TYPES.resourceSlices)).items;
const countsAndGenerations = async () =>
  (await slices()).map(
    ({ spec }) => `${spec.devices?.length}@${spec.pool.generation}/${spec.pool.resourceSliceCount}`,
  );

describe('over HTTP', () => {
  it('one node publishes and another prepares what was published', async () => {
    publisher.start();
    await expect.poll(async () => (await countsAndGenerations()).sort()).toEqual(['64@2/2', '6@2/2']);
    const claim = ref('c1');
    seed(RESOURCE_TYPES.resourceClaims, claimObject(claim, [{ pool: 'a', device: 'usb-69' }]));
    const host = { ...bench.start().host, kube, fileLock: withFileLock };
    const driver = new DraDriver(host);
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('ok');
    const object = await kube.get<ResourceClaim>(RESOURCE_TYPES.resourceClaims, claim);
    expect(object.metadata.annotations).toEqual({
      [CLAIM_ANNOTATIONS.deviceAddresses]: '[{"deviceName":"usb-69","usbAddress":"009:001"}]',
    });
    await driver.unprepare([claim]);
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('slices shrink to one and are removed', async () => {
    publisher.start();
    await expect.poll(async () => (await slices()).length).toBe(2);
    devices.length = 3;
    publisher.trigger();
    await expect.poll(countsAndGenerations).toEqual(['3@3/1']);
    expect((await slices())[0]?.spec.driver).toBe(DRIVER);
    await publisher.stop();
    await publisher.remove(never);
    expect(await slices()).toEqual([]);
  });

  it('the cache of claims follows the API', async () => {
    const cache = new ClaimCache(quietLog);
    const stop = new AbortController();
    const watching = reflect(kube, RESOURCE_TYPES.resourceClaims, { transform: claimUse }, cache, {
      signal: stop.signal,
    });
    await expect.poll(() => cache.age).toBeLessThan(10_000);
    seed(RESOURCE_TYPES.resourceClaims, claimObject(ref('c1'), [{ pool: 'a', device: 'usb-1' }]));
    await expect.poll(() => cache.holderOf('a', 'usb-1', 'other')).toEqual(ref('c1'));
    stop.abort();
    await watching;
  });

  it('a node is marked and unmarked', async () => {
    const ports = { highSpeed: { total: 8, used: 0 }, superSpeed: { total: 8, used: 0 } };
    const state = () => ({ nodeName: 'a', ports, address: { host: '10.0.0.1', port: 4280 } });
    const marker = new NodeMarker(kube, state, 'a', quietLog);
    const labels = async () =>
      (await kube.get<KubeObject>(RESOURCE_TYPES.nodes, { name: 'a' })).metadata.labels ?? {};
    marker.trigger();
    await expect.poll(async () => Object.keys(await labels()).length).toBe(5);
    await marker.stop();
    await marker.unmark(never);
    expect(await labels()).toEqual({ [NODE_LABELS.gatewayNode]: 'any' });
  });
});
