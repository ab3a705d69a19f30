// Who may import a device of this node.
import { beforeEach, describe, expect, it } from 'vitest';
import { ClaimCache } from '../../../node/dra/claim-cache.ts';
import { ClaimGrants } from '../../../node/dra/claim-grants.ts';
import { claimUse } from '../../../node/dra/claim-use.ts';
import { judgeGrant, plainAddress } from '../../../node/dra/grant-judge.ts';
import type { ObjectRef, UsbDeviceStatus } from '../../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { quietLog } from '../../support/dra/driver-bench.ts';
import { MemoryKube } from '../../support/dra/memory-kube.ts';
import { claimObject, deviceStatus, ref } from '../../support/dra/objects.ts';

const peer = { address: '10.0.0.2' };
const pod = ref('vm');
const use = (name: string, device = 'usb-x', pods = [pod], pool = 'a') =>
  claimUse(claimObject(ref(name), [{ pool, device }], { pods }));

let kube: MemoryKube;
let devices: UsbDeviceStatus[];
let cache: ClaimCache;
let now: number;
let heldHere: ObjectRef | undefined;

beforeEach(() => {
  now = 0;
  heldHere = undefined;
  kube = new MemoryKube();
  devices = [deviceStatus('usb-x'), deviceStatus('usb-y', { busID: '2-2' })];
  cache = new ClaimCache(quietLog, () => now);
  const addresses = [{ type: 'InternalIP', address: '10.0.0.2' }];
  kube.put(RESOURCE_TYPES.pods, { metadata: { ...pod }, spec: { nodeName: 'b' } } as never);
  kube.put(RESOURCE_TYPES.nodes, { metadata: { name: 'b' }, status: { addresses } } as never);
});

function grants(wait = 0) {
  const local = { list: () => devices, judge: async () => undefined };
  return new ClaimGrants(kube, 'a', local, cache, async () => heldHere, { wait, memory: 1_000 });
}

describe('the exporter', () => {
  it('grants a device to the node of the pod that has it', async () => {
    cache.onSync([use('c1')]);
    expect(await grants().check('2-1', peer)).toEqual({ device: 'usb-x', claim: ref('c1'), node: 'b' });
  });

  it('keeps a device that a claim has on this node itself, and names the claim', async () => {
    cache.onSync([use('c1'), use('c2')]);
    heldHere = ref('c2');
    const granted = await grants().check('2-1', peer);
    await expect(grants().assertFree(granted)).rejects.toMatchObject({
      code: 'DEVICE_BUSY',
      message: expect.stringContaining('default/c2'),
    });
  });

  it('does not tell strangers who has it', async () => {
    heldHere = ref('c2');
    await expect(grants().check('2-1', peer)).rejects.toMatchObject({ code: 'NOT_GRANTED' });
  });

  it('knows an IPv4 peer of a dual-stack socket', async () => {
    cache.onSync([use('c1')]);
    expect(await grants().check('2-1', { address: '::ffff:10.0.0.2' })).toMatchObject({ node: 'b' });
  });

  it.each([
    ['a bus id without device', '9-9', []],
    ['a device without claim', '2-1', []],
    ['a claim on another device', '2-1', [use('c1', 'usb-y')]],
    ['a claim on a device of that name in another pool', '2-1', [use('c1', 'usb-x', [pod], 'z')]],
    ['a claim that is reserved for nobody', '2-1', [use('c1', 'usb-x', [])]],
    ['a claim of a pod that was made again', '2-1', [use('c1', 'usb-x', [ref('vm', 'other')])]],
    ['a claim of a pod that is gone', '2-1', [use('c1', 'usb-x', [ref('gone')])]],
  ])('does not grant %s', async (_, busId, claims) => {
    cache.onSync(claims);
    await expect(grants().check(busId, peer)).rejects.toMatchObject({ code: 'NOT_GRANTED' });
  });

  it('does not grant it to another node', async () => {
    cache.onSync([use('c1')]);
    const check = grants().check('2-1', { address: '10.0.0.3' });
    await expect(check).rejects.toMatchObject({
      code: 'NOT_GRANTED',
      message: expect.stringContaining('10.0.0.3'),
    });
  });

  it.each([
    ['blocked', { verdict: 'Blocked' as const }],
    ['not offered to the namespace of the claim', { namespaces: ['vms'] }],
  ])('does not give a device away that is %s', async (_, changes) => {
    devices = [deviceStatus('usb-x', changes)];
    cache.onSync([use('c1')]);
    await expect(grants().check('2-1', peer)).rejects.toMatchObject({ code: 'DEVICE_BLOCKED' });
  });

  it('waits for a claim that was allocated just now', async () => {
    cache.onSync([]);
    const check = grants(2_000).check('2-1', peer);
    setTimeout(() => cache.onEvent({ type: 'ADDED', object: use('other', 'usb-y') }), 5);
    setTimeout(() => cache.onEvent({ type: 'ADDED', object: use('c1') }), 15);
    expect(await check).toMatchObject({ claim: ref('c1') });
  });

  it('does not wait for ever', async () => {
    cache.onSync([]);
    await expect(grants(20).check('2-1', peer)).rejects.toMatchObject({ code: 'NOT_GRANTED' });
  });

  it('lists what the peer may have', async () => {
    cache.onSync([use('c1'), use('c2', 'usb-y', [])]);
    expect(await grants().list(peer)).toEqual(['2-1']);
    expect(await grants().list({ address: '10.0.0.9' })).toEqual([]);
  });
});

describe('with the API server down', () => {
  const down = () => Promise.reject(new TypedError('SERVER_UNREACHABLE', 'down'));

  it('a pod that was looked up before may reconnect', async () => {
    cache.onSync([use('c1')]);
    const exporter = grants();
    await exporter.check('2-1', peer);
    kube.before = down;
    expect(await exporter.check('2-1', peer)).toMatchObject({ node: 'b' });
  });

  it('a new one may not', async () => {
    cache.onSync([use('c1')]);
    kube.before = down;
    await expect(grants().check('2-1', peer)).rejects.toMatchObject({ code: 'NOT_GRANTED' });
  });

  it('nobody may once the claims are too old', async () => {
    cache.onSync([use('c1')]);
    now = 1_001;
    await expect(grants().check('2-1', peer)).rejects.toMatchObject({ code: 'NOT_GRANTED' });
    cache.onEvent({ type: 'BOOKMARK', resourceVersion: '9' });
    expect(await grants().check('2-1', peer)).toMatchObject({ node: 'b' });
  });
});

describe('the cache of claims', () => {
  it('keeps the few fields of claims with our devices, and forgets the rest', () => {
    cache.onSync([use('c1'), claimUse(claimObject(ref('gpu'), [{ pool: 'x', device: 'g', driver: 'gpu' }]))]);
    expect(cache.holders('a', 'usb-x')).toEqual([
      { claim: ref('c1'), devices: [{ pool: 'a', device: 'usb-x' }], pods: [{ ...pod }] },
    ]);
    expect(cache.holders('x', 'g')).toEqual([]);
  });

  it('follows changes', () => {
    cache.onSync([use('c1')]);
    cache.onEvent({ type: 'MODIFIED', object: use('c1', 'usb-y') });
    expect([cache.holders('a', 'usb-x').length, cache.holders('a', 'usb-y').length]).toEqual([0, 1]);
    cache.onEvent({ type: 'MODIFIED', object: claimUse(claimObject(ref('c1'), [])) });
    expect(cache.holders('a', 'usb-y')).toEqual([]);
    cache.onEvent({ type: 'ADDED', object: use('c2') });
    cache.onEvent({ type: 'DELETED', object: use('c2') });
    expect(cache.holders('a', 'usb-x')).toEqual([]);
  });

  it('names the other holder and the pods of a claim', () => {
    cache.onSync([use('c1')]);
    expect(cache.holderOf('a', 'usb-x', 'uid-c2')).toEqual(ref('c1'));
    expect(cache.holderOf('a', 'usb-x', 'uid-c1')).toBeUndefined();
    expect(cache.podsOf(ref('c1'))).toEqual([{ ...pod }]);
    expect(cache.podsOf(ref('c1', 'former'))).toEqual([]);
  });

  it('tells listeners of changes that matter until they leave', () => {
    let told = 0;
    const leave = cache.onChange(() => told++);
    cache.onSync([use('c1')]);
    cache.onEvent({ type: 'ADDED', object: claimUse(claimObject(ref('gpu'), [])) });
    cache.onEvent({ type: 'BOOKMARK', resourceVersion: '1' });
    leave();
    cache.onSync([]);
    expect(told).toBe(1);
  });

  it('counts only pods as users', () => {
    const claim = claimObject(ref('c1'), [{ pool: 'a', device: 'usb-x' }]);
    const reservedFor = [{ apiGroup: 'example.com', resource: 'jobs', name: 'j', uid: 'u' }];
    expect(claimUse({ ...claim, status: { ...claim.status, reservedFor } }).pods).toEqual([]);
  });
});

describe('the judge', () => {
  it('finds the pod on the peer among several', () => {
    const places = new Map([
      ['uid-one', { node: 'c', addresses: ['10.0.0.3'] }],
      ['uid-two', { node: 'b', addresses: ['fd00::2', '10.0.0.2'] }],
    ]);
    const claims = [use('c1', 'usb-x', [ref('one'), ref('two')])];
    expect(judgeGrant(deviceStatus('usb-x'), claims, places, 'FD00::2')).toMatchObject({ node: 'b' });
  });

  it.each([
    ['::ffff:10.0.0.2', '10.0.0.2'],
    ['FD00::2', 'fd00::2'],
    ['10.0.0.2', '10.0.0.2'],
    ['::ffff:fd00', '::ffff:fd00'],
  ])('reads %s as %s', (given, plain) => {
    expect(plainAddress(given)).toBe(plain);
  });
});
