// USBNodeStatus objects reduced to some devices.
import { describe, expect, it } from 'vitest';
import { deviceKey } from '../../../plugin/usb/hold.ts';
import { reduceStatus, statusList } from '../../../plugin/usb/status-list.ts';
import { CAMERA, DISK, labStatuses, TOKEN } from './lab-facts.ts';

const everything = new Set(
  labStatuses().flatMap(({ metadata, status }) =>
    (status?.devices ?? []).map(({ name }) => deviceKey(metadata.name, name)),
  ),
);

describe('statusList', () => {
  it('changes nothing when all devices are wanted', () => {
    expect(statusList(labStatuses(), everything).items).toEqual(labStatuses());
  });

  it('leaves out nodes that have nothing to do with the devices', () => {
    const { items } = statusList(labStatuses(), new Set([deviceKey('worker-3', TOKEN)]));
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['worker-3']);
  });

  it('keeps the node that uses a device beside the one that has it', () => {
    const { items } = statusList(labStatuses(), new Set([deviceKey('worker-1', DISK)]));
    expect(items.map(({ metadata, status }) => [metadata.name, status?.devices.length])).toEqual([
      ['worker-1', 1],
      ['worker-2', 0],
    ]);
    expect(items[1]?.status?.attachments).toHaveLength(1);
    expect(items[0]?.status?.exports).toHaveLength(1);
  });

  it('is a v1 List, also when it is empty', () => {
    expect(statusList([], new Set())).toEqual({
      apiVersion: 'v1',
      kind: 'List',
      metadata: { resourceVersion: '' },
      items: [],
    });
  });
});

describe('reduceStatus', () => {
  it('says what kind of object it is even when the server did not', () => {
    expect(reduceStatus({ metadata: { name: 'n1' } }, everything)).toEqual({
      apiVersion: 'kubectl-virt.dev/v1alpha1',
      kind: 'USBNodeStatus',
      metadata: { name: 'n1' },
    });
  });

  it('drops the exports of other devices', () => {
    const [first] = labStatuses();
    const reduced = first && reduceStatus(first, new Set([deviceKey('worker-1', CAMERA)]));
    expect(reduced?.status?.devices.map(({ name }) => name)).toEqual([CAMERA]);
    expect(reduced?.status?.exports).toEqual([]);
  });
});
