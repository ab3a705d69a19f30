// Where an allocated device is found, and what is said when it is not.
import { beforeEach, describe, expect, it } from 'vitest';
import { readClaimRequest } from '../../../node/dra/claim-request.ts';
import { sliceDevice } from '../../../node/dra/device-attributes.ts';
import { DeviceLocator } from '../../../node/dra/device-locator.ts';
import { checkOffered } from '../../../node/dra/offer.ts';
import type { UsbDeviceStatus } from '../../../proto/api/gen/usb-node-status.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { MemoryKube } from '../../support/dra/memory-kube.ts';
import {
  type Allocation,
  claimObject,
  deviceStatus,
  nodeObject,
  published,
  ref,
  sliceOf,
} from '../../support/dra/objects.ts';

const never = new AbortController().signal;
let kube: MemoryKube;
let local: UsbDeviceStatus[];

beforeEach(() => {
  kube = new MemoryKube();
  local = [deviceStatus('usb-near', { busID: '1-4', vendorID: '0951', productID: '1666' })];
  kube.put(RESOURCE_TYPES.nodes, nodeObject('a', '10.0.0.1:4280'));
});

function locate(...allocations: Allocation[]) {
  const devices = {
    list: () => local,
    judge: async (name: string) => local.find((one) => one.name === name),
  };
  const request = readClaimRequest(claimObject(ref('c1'), allocations), ref('c1'));
  return new DeviceLocator(kube, 'b', devices).locate(request, never);
}

function publish(name: string, generation: number, busID: string, pool = 'a') {
  kube.put(
    RESOURCE_TYPES.resourceSlices,
    sliceOf(pool, [sliceDevice(published(name, { busID }))], generation),
  );
}

describe('a device of this node', () => {
  it('is described by the inventory', async () => {
    const [found] = await locate({ pool: 'b', device: 'usb-near' });
    expect(found?.target).toEqual({
      claim: ref('c1'),
      device: 'usb-near',
      pool: 'b',
      busId: '1-4',
      vendorId: 0x0951,
      productId: 0x1666,
      serial: 'usb-near',
      fingerprint: `sha256:${'ab'.repeat(32)}`,
    });
    expect(kube.calls).toEqual([]);
  });
});

describe('a device of another node', () => {
  const far = { pool: 'a', device: 'usb-far' };

  it('is described by its slice and reached by the address on its node', async () => {
    publish('usb-far', 1, '2-1');
    const [found] = await locate(far);
    expect(found?.target).toMatchObject({ busId: '2-1', pool: 'a', peer: { host: '10.0.0.1', port: 4280 } });
    expect(found?.wanted.device).toBe('usb-far');
  });

  it('is looked for in the newest generation only', async () => {
    publish('usb-far', 1, '2-1');
    publish('usb-far', 2, '2-9');
    expect((await locate(far))[0]?.target.busId).toBe('2-9');
    publish('usb-other', 3, '2-1');
    await expect(locate(far)).rejects.toMatchObject({ code: 'DEVICE_NOT_FOUND' });
  });

  it('is not found in the pool of a third node', async () => {
    publish('usb-far', 1, '2-1', 'c');
    await expect(locate(far)).rejects.toMatchObject({ code: 'DEVICE_NOT_FOUND' });
  });

  it('is listed once for all devices of a claim', async () => {
    publish('usb-far', 1, '2-1');
    const near = { request: 'near', pool: 'b', device: 'usb-near' };
    const found = await locate(far, near, { ...far, request: 'again' });
    expect(found.map(({ target }) => target.device)).toEqual(['usb-far', 'usb-near']);
    expect(kube.calls.filter((call) => call.startsWith('list'))).toHaveLength(1);
  });

  it.each([
    ['no address', undefined],
    ['an address that is none', 'nowhere'],
  ])('cannot be reached when its node has %s', async (_, address) => {
    publish('usb-far', 1, '2-1');
    kube.put(RESOURCE_TYPES.nodes, nodeObject('a', address));
    await expect(locate(far)).rejects.toMatchObject({ code: 'PEER_UNREACHABLE' });
  });

  it('cannot be reached when its node is gone', async () => {
    publish('usb-far', 1, '2-1');
    kube.remove(RESOURCE_TYPES.nodes, { name: 'a' });
    await expect(locate(far)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the offer of a device', () => {
  const offer = (changes: Partial<UsbDeviceStatus>) => () =>
    checkOffered(deviceStatus('usb-x', changes), 'vms');

  it.each([
    ['everybody', {}],
    ['this namespace', { namespaces: ['other', 'vms'] }],
  ])('to %s is taken', (_, changes) => {
    expect(offer(changes)).not.toThrow();
  });

  it.each([
    ['nobody', { verdict: 'Blocked' as const, rule: 'hubs', reason: 'is a hub' }],
    ['nobody, even if namespaces are listed', { verdict: 'Blocked' as const, namespaces: ['vms'] }],
    ['other namespaces', { namespaces: ['other'] }],
    ['an empty list of namespaces', { namespaces: [] }],
  ])('to %s is refused', (_, changes) => {
    expect(offer(changes)).toThrow(expect.objectContaining({ code: 'DEVICE_BLOCKED' }));
  });
});
