// What is read from a ResourceClaim: devices, access modes, owner of the nodes.
import { describe, expect, it } from 'vitest';
import { readClaimRequest } from '../../../node/dra/claim-request.ts';
import { CLAIM_ANNOTATIONS } from '../../../proto/api/names.ts';
import type { AllocatedConfig } from '../../../proto/api/resource.ts';
import { type Allocation, claimObject, ref } from '../../support/dra/objects.ts';

const claim = ref('c1');

function config(source: AllocatedConfig['source'], parameters: object, requests?: string[]): AllocatedConfig {
  const own = { apiVersion: 'kubectl-virt.dev/v1alpha1', kind: 'USBAccess', ...parameters };
  return {
    source,
    ...(requests && { requests }),
    opaque: { driver: 'virtualization-usb', parameters: own },
  };
}

function modes(configs: AllocatedConfig[], requests = ['usb']): string[] {
  const allocations = requests.map((request) => ({ request, pool: 'a', device: `usb-${request}` }));
  return readClaimRequest(claimObject(claim, allocations, { config: configs }), claim).devices.map(
    (d) => d.mode,
  );
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'ok';
}

describe('the access mode', () => {
  it('is usbfs when nothing is configured', () => {
    expect(modes([])).toEqual(['usbfs']);
  });

  it('comes from the class', () => {
    expect(modes([config('FromClass', { mode: 'driver' })])).toEqual(['driver']);
  });

  it('comes from the claim before the class, in any order', () => {
    const both = [config('FromClaim', { mode: 'usbfs' }), config('FromClass', { mode: 'driver' })];
    expect([modes(both), modes(both.toReversed())]).toEqual([['usbfs'], ['usbfs']]);
  });

  it('is the last of several of one source', () => {
    expect(modes([config('FromClaim', { mode: 'driver' }), config('FromClaim', { mode: 'usbfs' })])).toEqual([
      'usbfs',
    ]);
  });

  it('goes to the requests that are named, sub-requests included', () => {
    const only = [config('FromClaim', { mode: 'driver' }, ['disk'])];
    expect(modes(only, ['disk', 'key', 'disk/fast'])).toEqual(['driver', 'usbfs', 'driver']);
    expect(
      modes([config('FromClaim', { mode: 'driver' }, ['disk/fast'])], ['disk/fast', 'disk/slow']),
    ).toEqual(['driver', 'usbfs']);
  });

  it('ignores the configuration of other drivers', () => {
    const other = {
      ...config('FromClaim', { mode: 'x' }),
      opaque: { driver: 'gpu', parameters: { mode: 'x' } },
    };
    expect(modes([other, { source: 'FromClaim' }])).toEqual(['usbfs']);
  });

  it.each([
    ['an unknown mode', { mode: 'raw' }],
    ['no mode', {}],
    ['an unknown kind', { kind: 'Other', mode: 'usbfs' }],
    ['an unknown version', { apiVersion: 'kubectl-virt.dev/v9', mode: 'usbfs' }],
    ['an unknown field', { mode: 'usbfs', moed: 'driver' }],
  ])('is an error with %s', (_, parameters) => {
    expect(codeOf(() => modes([config('FromClaim', parameters)]))).toBe('BAD_INPUT');
  });
});

describe('the owner of the nodes', () => {
  const owner = (annotations: Record<string, string>) =>
    readClaimRequest(claimObject(claim, [], { annotations }), claim).owner;

  it('is taken from the annotations, each by itself', () => {
    expect(owner({})).toEqual({});
    expect(owner({ [CLAIM_ANNOTATIONS.deviceUser]: '0', [CLAIM_ANNOTATIONS.deviceGroup]: '64535' })).toEqual({
      uid: 0,
      gid: 64_535,
    });
    expect(owner({ [CLAIM_ANNOTATIONS.deviceGroup]: '4294967294' })).toEqual({ gid: 4_294_967_294 });
  });

  it.each(['', 'root', '-1', '1.5', '0x10', ' 1', '4294967295', '99999999999'])('cannot be %j', (text) => {
    expect(codeOf(() => owner({ [CLAIM_ANNOTATIONS.deviceGroup]: text }))).toBe('BAD_INPUT');
    expect(codeOf(() => owner({ [CLAIM_ANNOTATIONS.deviceUser]: text }))).toBe('BAD_INPUT');
  });
});

describe('the devices of a claim', () => {
  const devices = (...allocations: Allocation[]) =>
    readClaimRequest(claimObject(claim, allocations), claim).devices;

  it('carry the request without its sub-request', () => {
    expect(devices({ request: 'usb/fast', pool: 'a', device: 'x' })[0]?.requests).toEqual(['usb']);
  });

  it('are listed once when two requests have the same one', () => {
    const same = { pool: 'a', device: 'x' };
    expect(devices({ request: 'one', ...same }, { request: 'two', ...same })).toEqual([
      { requests: ['one', 'two'], ...same, mode: 'usbfs' },
    ]);
  });

  it('cannot be wanted in two modes at once', () => {
    const same = { pool: 'a', device: 'x' };
    const twice = [
      { request: 'one', ...same },
      { request: 'two', ...same },
    ];
    const object = claimObject(claim, twice, { config: [config('FromClaim', { mode: 'driver' }, ['two'])] });
    expect(codeOf(() => readClaimRequest(object, claim))).toBe('BAD_INPUT');
  });
});
