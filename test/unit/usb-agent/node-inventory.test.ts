// The devices of a node over time: what has a name, what is offered, and what is remembered of the unplugged.
import { describe, expect, it } from 'vitest';
import type { SeenDevice } from '../../../node/usb/discovery.ts';
import type { IdentityMap } from '../../../node/usb/identity-map.ts';
import type { Verdict } from '../../../node/usb/inventory.ts';
import { NodeInventory, type NodeInventoryOptions } from '../../../node/usb/node-inventory.ts';
import { NO_USE } from '../../../node/usb/node-use.ts';
import { DISK, type FakeUsbSpec, KEYBOARD, TOKEN } from '../../support/fake-usb-device.ts';
import { FakeUsbipKernel } from '../../support/fake-usbip-kernel.ts';

const OFFERED: Verdict = { verdict: 'Offered', rule: 'default/offer', reason: 'no rule blocks it' };
const USED: Verdict = { verdict: 'Blocked', rule: 'built-in/in-use', reason: 'the node uses it' };
const MOUNTED = { ...NO_USE, mounts: ['sda1 on /mnt'] };

/** `now` counts up, so that times can be told apart. */
function bench(over: Partial<NodeInventoryOptions> = {}) {
  const kernel = new FakeUsbipKernel();
  const saved: IdentityMap[] = [];
  const held = new Set<string>();
  const allocated = new Set<string>();
  const uses = new Map<string, typeof NO_USE>();
  let changes = 0;
  let clock = 0;
  const see = (busId: string): SeenDevice | undefined => {
    const device = kernel.readDevice(busId);
    return device && { device, use: uses.get(busId) ?? NO_USE };
  };
  const inventory = new NodeInventory({
    nodeName: 'a',
    identities: [],
    saveIdentities: async (map) => {
      saved.push(map);
    },
    judge: (devices) => devices.map(({ use }) => (use.mounts.length > 0 ? USED : OFFERED)),
    readNow: see,
    allocated: () => allocated,
    held: () => held,
    onChange: () => changes++,
    ...over,
  });
  const plugged: string[] = [];
  return {
    inventory,
    kernel,
    saved,
    held,
    allocated,
    uses,
    see,
    changes: () => changes,
    seen: () => plugged.flatMap((busId) => see(busId) ?? []),
    plug(busId: string, spec: FakeUsbSpec) {
      kernel.plug(busId, spec);
      plugged.push(busId);
    },
    unplug(busId: string) {
      kernel.unplug(busId);
      plugged.splice(plugged.indexOf(busId), 1);
    },
    take() {
      return inventory.take(this.seen(), `t${++clock}`);
    },
    only() {
      const [status] = inventory.list();
      if (!status) throw new Error('nothing is plugged');
      return status;
    },
  };
}

describe('NodeInventory', () => {
  it('is not ready before it was told what is plugged, even if that is nothing', async () => {
    const { inventory } = bench();
    expect(inventory.ready).toBe(false);
    await inventory.take([], 't1');
    expect([inventory.ready, inventory.list()]).toEqual([true, []]);
  });

  it('describes each device with its name, verdict and the time when it was plugged', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    await node.take();
    expect(node.inventory.list()).toMatchObject([
      { busID: '2-1', serial: 'LAB0001', identity: '46f4:0001:LAB0001', ...OFFERED, pluggedAt: 't1' },
    ]);
  });

  it('keeps the time of plugging while a device stays, and gives a new one when it comes again', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    await node.take();
    node.plug('1-1', TOKEN);
    await node.take();
    expect(node.inventory.list().map(({ pluggedAt }) => pluggedAt)).toEqual(['t1', 't2']);
    node.unplug('2-1');
    await node.take();
    node.plug('2-1', DISK);
    await node.take();
    expect(node.inventory.list().map(({ pluggedAt }) => pluggedAt)).toEqual(['t2', 't4']);
  });

  it('leaves out what is imported from other nodes', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    const own = node.seen();
    const imported = own.map(({ device, use }) => ({ device: { ...device, imported: true }, use }));
    await node.inventory.take(imported, 't1');
    expect(node.inventory.list()).toEqual([]);
  });

  it('saves names before it shows them, and only when they changed', async () => {
    const order: string[] = [];
    const node = bench({
      saveIdentities: async (map) => {
        order.push(`saved ${map.length}`);
      },
      onChange: () => order.push('shown'),
    });
    node.plug('2-1', DISK);
    await node.take();
    await node.take();
    expect(order).toEqual(['saved 1', 'shown', 'shown']);
  });

  it('shows nothing new when the names could not be saved, and does at the next try', async () => {
    let full = true;
    const node = bench({
      saveIdentities: async () => {
        if (full) throw new Error('ENOSPC');
      },
    });
    node.plug('2-1', DISK);
    await expect(node.take()).rejects.toThrow('ENOSPC');
    expect([node.inventory.ready, node.inventory.list()]).toEqual([false, []]);
    full = false;
    await node.take();
    expect(node.inventory.list()).toHaveLength(1);
  });

  it('keeps what it had when the policy fails', async () => {
    let trapped = false;
    const judge: NodeInventoryOptions['judge'] = (devices) => {
      if (trapped) throw new Error('trapped');
      return devices.map(() => OFFERED);
    };
    const node = bench({ judge });
    node.plug('2-1', DISK);
    await node.take();
    trapped = true;
    node.plug('1-1', KEYBOARD);
    await expect(node.take()).rejects.toThrow('trapped');
    expect(node.inventory.list().map(({ busID }) => busID)).toEqual(['2-1']);
  });

  it('blocks a device for which the policy gave no verdict', async () => {
    const node = bench({ judge: () => [] });
    node.plug('2-1', DISK);
    await node.take();
    expect(node.only().verdict).toBe('Blocked');
  });

  it('takes what happens to a held device as the doing of its pod', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    node.uses.set('2-1', MOUNTED);
    await node.take();
    expect(node.only()).toMatchObject(USED);
    node.held.add(node.only().name);
    await node.inventory.judgeAgain('t2');
    expect(node.only()).toMatchObject({ ...OFFERED, pluggedAt: 't1' });
  });

  it('has nothing to judge again before the first sighting', async () => {
    const node = bench();
    await node.inventory.judgeAgain('t1');
    expect([node.inventory.ready, node.changes()]).toEqual([false, 0]);
  });
});

describe('a device that was pulled out', () => {
  it('is lost while a claim has it, and forgotten when the claim goes', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    await node.take();
    const { name } = node.only();
    node.allocated.add(name);
    node.unplug('2-1');
    await node.take();
    expect(node.inventory.list()).toEqual([]);
    expect(node.inventory.lost().map(({ status }) => status.name)).toEqual([name]);
    node.allocated.delete(name);
    expect(node.inventory.lost()).toEqual([]);
  });

  it('is lost over many sightings, and no longer when it is plugged again', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    await node.take();
    const { name } = node.only();
    node.allocated.add(name);
    node.unplug('2-1');
    for (let count = 0; count < 3; count++) await node.take();
    expect(node.inventory.lost()).toHaveLength(1);
    node.plug('2-2', DISK);
    await node.take();
    expect(node.inventory.lost()).toEqual([]);
    expect(node.only().name).toBe(name);
  });

  it('is not lost when nobody had it', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    await node.take();
    const { name } = node.only();
    node.unplug('2-1');
    await node.take();
    node.allocated.add(name);
    expect(node.inventory.lost()).toEqual([]);
  });
});

describe('judging one device by name', () => {
  it('reads it now: what was mounted since the last look counts', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    await node.take();
    node.uses.set('2-1', MOUNTED);
    expect(node.only()).toMatchObject(OFFERED);
    expect(await node.inventory.judge(node.only().name)).toMatchObject({ ...USED, pluggedAt: 't1' });
  });

  it('finds nothing for names that are not plugged', async () => {
    const node = bench();
    node.plug('2-1', DISK);
    await node.take();
    const { name } = node.only();
    expect(await node.inventory.judge('usb-unknown')).toBeUndefined();
    node.unplug('2-1');
    expect(await node.inventory.judge(name)).toBeUndefined();
  });

  it.each([
    ['the same model', { ...DISK, serial: 'OTHER' }],
    ['the same device, plugged anew', DISK],
    ['something else', TOKEN],
  ])('does not take %s in its port for it', async (_, successor) => {
    const node = bench();
    node.plug('2-1', DISK);
    await node.take();
    const { name } = node.only();
    node.unplug('2-1');
    node.plug('2-1', successor);
    expect(await node.inventory.judge(name)).toBeUndefined();
  });
});

describe('sightings and new judgements at the same time', () => {
  /** Saving takes until `let go` is called. */
  function slowDisk() {
    const waiting: (() => void)[] = [];
    let writers = 0;
    let most = 0;
    const saveIdentities = async () => {
      most = Math.max(most, ++writers);
      await new Promise<void>((resolve) => waiting.push(resolve));
      writers--;
    };
    const settle = async (work: Promise<unknown>) => {
      let done = false;
      const end = work.finally(() => {
        done = true;
      });
      while (!done) {
        waiting.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return end;
    };
    return { saveIdentities, settle, most: () => most };
  }

  it('never write the names twice at a time', async () => {
    const disk = slowDisk();
    const node = bench({ saveIdentities: disk.saveIdentities });
    node.plug('2-1', DISK);
    const first = node.take();
    node.plug('1-1', TOKEN);
    await disk.settle(Promise.all([first, node.take()]));
    expect(disk.most()).toBe(1);
    expect(node.inventory.list()).toHaveLength(2);
  });

  it('end with the last sighting, though an earlier one was slow to be saved', async () => {
    const disk = slowDisk();
    const node = bench({ saveIdentities: disk.saveIdentities });
    node.plug('1-1', TOKEN);
    const first = node.take();
    const again = node.inventory.judgeAgain('t8');
    node.unplug('1-1');
    const last = node.inventory.take([], 't9');
    await disk.settle(Promise.all([first, again, last]));
    expect(node.inventory.list()).toEqual([]);
  });

  it('go on after one that failed', async () => {
    let failures = 1;
    const node = bench({
      saveIdentities: async () => {
        if (failures-- > 0) throw new Error('ENOSPC');
      },
    });
    node.plug('2-1', DISK);
    const outcomes = await Promise.allSettled([node.take(), node.take()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});
