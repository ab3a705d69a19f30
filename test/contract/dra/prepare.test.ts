// Prepare and Unprepare over a memory kernel, a memory API and real files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLAIM_ANNOTATIONS } from '../../../proto/api/names.ts';
import type { ResourceClaim } from '../../../proto/api/resource.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { codeOf, DriverBench, messageOf, NOTHING } from '../../support/dra/driver-bench.ts';
import { type Allocation, claimObject, deviceStatus, ref } from '../../support/dra/objects.ts';

const FAR: Allocation = { pool: 'a', device: 'usb-far' };
const FAR2: Allocation = { request: 'second', pool: 'a', device: 'usb-far2' };
const NEAR: Allocation = { pool: 'b', device: 'usb-near' };
const never = new AbortController().signal;

let bench: DriverBench;
beforeEach(() => {
  bench = new DriverBench();
});
afterEach(() => bench.dispose());

function put(name: string, allocations: Allocation[], extra: Parameters<typeof claimObject>[2] = {}) {
  const claim = ref(name);
  bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(claim, allocations, extra));
  return claim;
}

const mode = (value: unknown) => ({
  source: 'FromClaim' as const,
  opaque: {
    driver: 'virtualization-usb',
    parameters: { apiVersion: 'kubectl-virt.dev/v1alpha1', kind: 'USBAccess', mode: value },
  },
});

describe('a claim on a device of another node', () => {
  it('is imported, given to the runtime, and its address is written on the claim', async () => {
    const claim = put('c1', [FAR]);
    const { driver } = bench.start();
    const outcome = (await driver.prepare([claim], never)).get(claim.uid);
    expect(outcome).toEqual({
      value: [
        {
          requests: ['usb'],
          pool: 'a',
          device: 'usb-far',
          cdiIds: [
            'dra.virtualization.deckhouse.io/usb=common',
            'dra.virtualization.deckhouse.io/usb=uid-c1-usb-far',
          ],
        },
      ],
    });
    const [attachment] = [...bench.kernel.held.keys()].map((key) => JSON.parse(key));
    expect(attachment).toMatchObject({
      kind: 'import',
      mode: 'usbfs',
      peer: '10.0.0.1:4280',
      remoteBusId: '2-1',
    });
    const [object] = bench.kube.all<ResourceClaim>(RESOURCE_TYPES.resourceClaims);
    expect(object?.metadata.annotations).toEqual({
      [CLAIM_ANNOTATIONS.deviceAddresses]: '[{"deviceName":"usb-far","usbAddress":"009:001"}]',
    });
  });

  it('needs the owner to have an exporter', async () => {
    bench.kube.put(RESOURCE_TYPES.nodes, { metadata: { name: 'a' } });
    const claim = put('c1', [FAR]);
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('PEER_UNREACHABLE');
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('is refused when no slice has the device', async () => {
    const claim = put('c1', [{ pool: 'a', device: 'usb-gone' }]);
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('DEVICE_NOT_FOUND');
  });
});

describe('a claim on a device of this node', () => {
  it('needs no slice and no other node', async () => {
    const claim = put('c1', [NEAR], { config: [mode('driver')] });
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('ok');
    expect([...bench.kernel.held.keys()]).toEqual([
      '{"kind":"local","mode":"driver","busId":"1-4","devid":65538}',
    ]);
    expect(bench.kube.calls.filter((call) => call.includes('slices') || call.includes('nodes'))).toEqual([]);
  });

  it.each([
    ['blocked', { verdict: 'Blocked', rule: 'in-use', reason: 'mounted' } as const],
    ['offered to other namespaces only', { namespaces: ['vms'] }],
  ])('is refused with the rule when the device is %s', async (_, changes) => {
    bench.local.set('usb-near', deviceStatus('usb-near', changes));
    const claim = put('c1', [NEAR]);
    const outcomes = await bench.start().driver.prepare([claim], never);
    expect(codeOf(outcomes, claim)).toBe('DEVICE_BLOCKED');
    expect(messageOf(outcomes, claim)).toContain(bench.local.get('usb-near')?.rule);
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('is refused when the device was unplugged', async () => {
    bench.local.clear();
    const claim = put('c1', [NEAR]);
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('DEVICE_NOT_FOUND');
  });
});

describe('a claim prepared twice', () => {
  it('imports the device once', async () => {
    const claim = put('c1', [FAR]);
    const { driver, access } = bench.start();
    const first = await driver.prepare([claim], never);
    const second = await driver.prepare([claim], never);
    expect(second).toEqual(first);
    expect(access.attachCalls).toBe(1);
  });

  it('is answered again by a new driver object, and the annotation is not written again', async () => {
    const claim = put('c1', [FAR, FAR2]);
    const first = await bench.start().driver.prepare([claim], never);
    const { driver, access } = bench.start();
    bench.kube.calls.length = 0;
    expect(await driver.prepare([claim], never)).toEqual(first);
    expect(access.attachCalls).toBe(0);
    expect(bench.kube.calls).toEqual(['get resourceclaims c1']);
  });

  it('gets new device nodes when the device has another number now', async () => {
    const claim = put('c1', [FAR]);
    await bench.start().driver.prepare([claim], never);
    bench.kernel.renumber();
    await bench.start().driver.prepare([claim], never);
    const file = join(bench.cdiFolder, 'dra.virtualization.deckhouse.io-usb_uid-c1.json');
    expect(readFileSync(file, 'utf8')).toContain('/dev/bus/usb/009/002');
    expect(bench.kube.all<ResourceClaim>(RESOURCE_TYPES.resourceClaims)[0]?.metadata.annotations).toEqual({
      [CLAIM_ANNOTATIONS.deviceAddresses]: '[{"deviceName":"usb-far","usbAddress":"009:002"}]',
    });
  });

  it('is attached again when the kernel has lost the device', async () => {
    const claim = put('c1', [FAR]);
    await bench.start().driver.prepare([claim], never);
    bench.kernel.held.clear();
    const { driver, access } = bench.start();
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('ok');
    expect(access.attachCalls).toBe(1);
    expect(bench.kernel.held.size).toBe(1);
  });

  it('is attached again when the device is in another port and something else in its own', async () => {
    const claim = put('c1', [NEAR]);
    await bench.start().driver.prepare([claim], never);
    bench.local.set('usb-near', deviceStatus('usb-near', { busID: '1-5' }));
    bench.local.set('usb-new', deviceStatus('usb-new', { busID: '1-4' }));
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('ok');
    expect([...bench.kernel.held.keys()]).toEqual([
      '{"kind":"local","mode":"usbfs","busId":"1-5","devid":65538}',
    ]);
  });

  it('is attached again after a reboot, whatever the former boot had', async () => {
    const claim = put('c1', [FAR]);
    await bench.start().driver.prepare([claim], never);
    bench.kernel.held.clear();
    const { driver } = bench.start({ bootId: 'boot-2' });
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('ok');
    await driver.unprepare([claim]);
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('keeps a running container untouched when the second call fails', async () => {
    const claim = put('c1', [FAR]);
    await bench.start().driver.prepare([claim], never);
    bench.kernel.renumber();
    bench.kube.before = (call) => {
      if (call.startsWith('patch')) throw new TypedError('SERVER_ERROR', 'no');
    };
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('SERVER_ERROR');
    expect(bench.leftovers()).toMatchObject({ kernel: 1, checkpoints: ['uid-c1.json'] });
  });
});

describe('what the kubelet names is checked against the API', () => {
  it('a deleted claim is not found', async () => {
    const claim = ref('gone');
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('NOT_FOUND');
  });

  it('a claim made again under the same name is not the same', async () => {
    put('c1', [FAR]);
    const former = ref('c1', 'uid-former');
    expect(codeOf(await bench.start().driver.prepare([former], never), former)).toBe('CLAIM_REPLACED');
  });

  it('a claim without allocation is refused', async () => {
    const claim = ref('c1');
    bench.kube.put(RESOURCE_TYPES.resourceClaims, { metadata: { ...claim } });
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('CLAIM_NOT_ALLOCATED');
  });

  it('a claim with devices of other drivers only is answered with nothing', async () => {
    const claim = put('c1', [{ pool: 'x', device: 'gpu', driver: 'gpu.example.com' }]);
    const outcomes = await bench.start().driver.prepare([claim], never);
    expect(outcomes.get(claim.uid)).toEqual({ value: [] });
    expect(bench.leftovers()).toEqual(NOTHING);
  });

  it('a claim shared with another driver gets only our device', async () => {
    const claim = put('c1', [FAR, { pool: 'x', device: 'gpu', driver: 'gpu.example.com' }]);
    const outcome = (await bench.start().driver.prepare([claim], never)).get(claim.uid);
    expect(outcome).toMatchObject({ value: [{ device: 'usb-far' }] });
  });

  it('an unknown mode is named before anything is touched', async () => {
    const claim = put('c1', [FAR], { config: [mode('raw')] });
    const { driver, access } = bench.start();
    expect(codeOf(await driver.prepare([claim], never), claim)).toBe('BAD_INPUT');
    expect(access.attachCalls).toBe(0);
  });

  it('a gid that is no number is an error and never root', async () => {
    const annotations = { [CLAIM_ANNOTATIONS.deviceGroup]: 'plugdev' };
    const claim = put('c1', [FAR], { annotations });
    expect(codeOf(await bench.start().driver.prepare([claim], never), claim)).toBe('BAD_INPUT');
  });

  it('the annotations that are there stay', async () => {
    const annotations = { [CLAIM_ANNOTATIONS.deviceGroup]: '64535', other: 'kept' };
    const claim = put('c1', [FAR], { annotations });
    await bench.start().driver.prepare([claim], never);
    const [object] = bench.kube.all<ResourceClaim>(RESOURCE_TYPES.resourceClaims);
    expect(object?.metadata.annotations).toMatchObject(annotations);
  });
});
