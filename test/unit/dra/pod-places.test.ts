// Where a pod runs, with and without an API server that answers.
import { beforeEach, describe, expect, it } from 'vitest';
import { PodPlaces } from '../../../node/dra/pod-places.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { MemoryKube } from '../../support/dra/memory-kube.ts';
import { ref } from '../../support/dra/objects.ts';

const pod = ref('vm');
let kube: MemoryKube;
let now: number;
let places: PodPlaces;

beforeEach(() => {
  kube = new MemoryKube();
  now = 0;
  places = new PodPlaces(kube, 1_000, () => now);
  const addresses = [{ address: '10.0.0.2' }, { address: 'b' }];
  kube.put(RESOURCE_TYPES.pods, { metadata: { ...pod }, spec: { nodeName: 'b' } } as never);
  kube.put(RESOURCE_TYPES.nodes, { metadata: { name: 'b' }, status: { addresses } } as never);
});

const goDown = () => {
  kube.before = () => Promise.reject(new TypedError('SERVER_UNREACHABLE', 'down'));
};

describe('the place of a pod', () => {
  it('is its node with all addresses', async () => {
    expect(await places.find(pod)).toEqual({ node: 'b', addresses: ['10.0.0.2', 'b'] });
  });

  it('has no addresses when the node tells none', async () => {
    kube.put(RESOURCE_TYPES.nodes, { metadata: { name: 'b' } });
    expect(await places.find(pod)).toEqual({ node: 'b', addresses: [] });
  });

  it.each([
    ['is gone', () => kube.remove(RESOURCE_TYPES.pods, pod)],
    ['is not placed', () => kube.put(RESOURCE_TYPES.pods, { metadata: { ...pod } })],
    [
      'was made again under its name',
      () =>
        kube.put(RESOURCE_TYPES.pods, { metadata: { ...pod, uid: 'new' }, spec: { nodeName: 'b' } } as never),
    ],
    ['has lost its node', () => kube.remove(RESOURCE_TYPES.nodes, { name: 'b' })],
  ])('is nowhere when the pod %s', async (_, change) => {
    await places.find(pod);
    change();
    expect(await places.find(pod)).toBeUndefined();
  });

  it('is remembered for a while when the API server is down', async () => {
    await places.find(pod);
    goDown();
    now = 1_000;
    expect((await places.find(pod))?.node).toBe('b');
    now = 1_001;
    await expect(places.find(pod)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });

  it('is not remembered of a pod that was seen gone', async () => {
    await places.find(pod);
    kube.remove(RESOURCE_TYPES.pods, pod);
    await places.find(pod);
    goDown();
    await expect(places.find(pod)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });

  it('is unknown of a pod that was never looked up', async () => {
    goDown();
    await expect(places.find(pod)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });
});
