// The state machine of a claim on this node.
import { describe, expect, it } from 'vitest';
import type { ClaimCheckpoint } from '../../../node/dra/checkpoint.ts';
import type { WantedDevice } from '../../../node/dra/claim-request.ts';
import { otherHolder, prepareAction, unprepareAction } from '../../../node/dra/claim-state.ts';
import { ref } from '../../support/dra/objects.ts';

const disk: WantedDevice = { requests: ['usb'], pool: 'a', device: 'usb-disk', mode: 'usbfs' };
const key: WantedDevice = { requests: ['key'], pool: 'b', device: 'usb-key', mode: 'driver' };
const alive = () => true;

function checkpoint(changes: Partial<ClaimCheckpoint> = {}): ClaimCheckpoint {
  return {
    bootId: 'boot',
    claim: ref('c1'),
    state: 'PrepareCompleted',
    since: '2026-01-01T00:00:00.000Z',
    devices: [disk, key].map((wanted) => ({ ...wanted, cdiId: `x/y=${wanted.device}` })),
    ...changes,
  };
}

describe('Prepare', () => {
  it('starts when nothing is recorded', () => {
    expect(prepareAction(undefined, 'boot', [disk], alive)).toBe('start');
  });

  it('replays what is complete and alive, whatever the order', () => {
    expect(prepareAction(checkpoint(), 'boot', [key, disk], alive)).toBe('replay');
  });

  it('rolls back what was interrupted', () => {
    expect(prepareAction(checkpoint({ state: 'PrepareStarted' }), 'boot', [disk, key], alive)).toBe(
      'rollBack',
    );
  });

  it('rolls back when the kernel has lost one of the devices', () => {
    const isAlive = ({ device }: { device: string }) => device !== 'usb-key';
    expect(prepareAction(checkpoint(), 'boot', [disk, key], isAlive)).toBe('rollBack');
  });

  it.each(['PrepareStarted', 'PrepareCompleted'] as const)('discards %s of another boot', (state) => {
    expect(prepareAction(checkpoint({ state }), 'boot-2', [disk, key], alive)).toBe('discard');
  });

  it('never asks the kernel of this boot about a device of another', () => {
    const asked: unknown[] = [];
    prepareAction(checkpoint(), 'boot-2', [disk, key], (device) => asked.push(device) > 0);
    expect(asked).toEqual([]);
  });

  it.each([
    ['fewer devices', [disk]],
    ['another device', [disk, { ...key, device: 'usb-other' }]],
    ['another pool', [disk, { ...key, pool: 'c' }]],
    ['another mode', [disk, { ...key, mode: 'usbfs' as const }]],
    ['other requests', [disk, { ...key, requests: ['usb'] }]],
    ['another share', [disk, { ...key, shareId: 's' }]],
  ])('rolls back when the claim was allocated anew with %s', (_, wanted) => {
    expect(prepareAction(checkpoint(), 'boot', wanted, alive)).toBe('rollBack');
  });
});

describe('Unprepare', () => {
  it('has nothing to do for an unknown claim', () => {
    expect(unprepareAction(undefined, 'boot')).toBe('nothing');
  });

  it.each(['PrepareStarted', 'PrepareCompleted'] as const)('releases %s of this boot', (state) => {
    expect(unprepareAction(checkpoint({ state }), 'boot')).toBe('release');
  });

  it('only forgets what is of another boot', () => {
    expect(unprepareAction(checkpoint(), 'boot-2')).toBe('discard');
  });
});

describe('the holder of a device', () => {
  it('is the other claim that has it recorded, started or complete', () => {
    const found = otherHolder([checkpoint({ state: 'PrepareStarted' })], 'boot', 'uid-c2', [key]);
    expect(found?.holder.claim.name).toBe('c1');
    expect(found?.device.device).toBe('usb-key');
  });

  it.each([
    ['the claim itself', 'boot', 'uid-c1', [key]],
    ['a record of another boot', 'boot-2', 'uid-c2', [key]],
    ['a claim with other devices', 'boot', 'uid-c2', [{ pool: 'a', device: 'usb-key' }]],
  ])('is not %s', (_, bootId, uid, devices) => {
    expect(otherHolder([checkpoint()], bootId, uid, devices)).toBeUndefined();
  });
});
