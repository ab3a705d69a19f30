// What the agent keeps in memory of the claims that are prepared on its node.
import { describe, expect, it } from 'vitest';
import type { ClaimCheckpoint } from '../../../node/dra/checkpoint.ts';
import type { ClaimStore } from '../../../node/dra/claim-store.ts';
import { ClaimRecords } from '../../../node/run/claim-records.ts';
import { ref } from '../../support/dra/objects.ts';

function checkpoint(name: string, devices: readonly [pool: string, device: string][]): ClaimCheckpoint {
  return {
    bootId: 'boot-1',
    claim: ref(name),
    state: 'PrepareCompleted',
    since: '2026-01-01T00:00:00.000Z',
    devices: devices.map(([pool, device]) => ({
      requests: ['usb'],
      pool,
      device,
      mode: 'usbfs',
      cdiId: `${name}-${device}`,
    })),
  };
}

/** A store that lists what `now` holds; each list is answered when its turn in `answers` is called. */
function storeOf(now: ClaimCheckpoint[]) {
  const answers: (() => void)[] = [];
  const store: Pick<ClaimStore, 'list'> = {
    list: () => {
      const found = [...now];
      return new Promise((resolve) => answers.push(() => resolve(found)));
    },
  };
  return { store: store as ClaimStore, answers };
}

async function recordsOf(now: ClaimCheckpoint[]): Promise<ClaimRecords> {
  const { store, answers } = storeOf(now);
  const records = new ClaimRecords(store, 'boot-1');
  const refreshed = records.refresh();
  answers[0]?.();
  await refreshed;
  return records;
}

describe('ClaimRecords', () => {
  it('knows nothing before it has read', () => {
    const { store } = storeOf([checkpoint('c1', [['a', 'usb-1']])]);
    expect(new ClaimRecords(store, 'boot-1').list()).toEqual([]);
  });

  it('names the devices of one pool that claims have here', async () => {
    const records = await recordsOf([
      checkpoint('c1', [
        ['a', 'usb-1'],
        ['b', 'usb-2'],
      ]),
      checkpoint('c2', [['a', 'usb-3']]),
    ]);
    expect(records.heldOf('a')).toEqual(['usb-1', 'usb-3']);
    expect(records.heldOf('c')).toEqual([]);
  });

  it('does not count what was held before the node was booted', async () => {
    const records = await recordsOf([{ ...checkpoint('c1', [['a', 'usb-1']]), bootId: 'boot-0' }]);
    expect([records.list(), records.heldOf('a')]).toEqual([[], []]);
  });

  it('keeps the newer of two readings, whichever comes last', async () => {
    const now = [checkpoint('c1', [['a', 'usb-1']])];
    const { store, answers } = storeOf(now);
    const records = new ClaimRecords(store, 'boot-1');
    const older = records.refresh();
    now.push(checkpoint('c2', [['a', 'usb-2']]));
    const newer = records.refresh();
    answers[1]?.();
    await newer;
    answers[0]?.();
    await older;
    expect(records.heldOf('a')).toEqual(['usb-1', 'usb-2']);
  });
});
