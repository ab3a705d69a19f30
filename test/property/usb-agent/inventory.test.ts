// What must be true of the inventory after any sequence of plugging, claiming, pulling out and restarting.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeIdentityMap, encodeIdentityMap, type IdentityMap } from '../../../node/usb/identity-map.ts';
import { NodeInventory } from '../../../node/usb/node-inventory.ts';
import { NO_USE } from '../../../node/usb/node-use.ts';
import { DISK, KEYBOARD, TOKEN } from '../../support/fake-usb-device.ts';
import { FakeUsbipKernel } from '../../support/fake-usbip-kernel.ts';

const PORTS = ['1-1', '1-2', '2-1', '3-1'];
const SPECS = [DISK, { ...DISK, serial: 'LAB0002' }, KEYBOARD, TOKEN];

type Step =
  | { readonly do: 'plug'; readonly port: string; readonly spec: number }
  | { readonly do: 'unplug' | 'claim' | 'unclaim'; readonly port: string }
  | { readonly do: 'restart' | 'judge' };

const port = fc.constantFrom(...PORTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('plug' as const), port, spec: fc.nat(SPECS.length - 1) }),
  fc.record({ do: fc.constantFrom('unplug' as const, 'claim' as const, 'unclaim' as const), port }),
  fc.record({ do: fc.constantFrom('restart' as const, 'judge' as const) }),
);

/** A node whose agent can be started anew with what it has saved. */
class Model {
  readonly kernel = new FakeUsbipKernel();
  readonly plugged = new Set<string>();
  readonly claimed = new Set<string>();
  saved: IdentityMap = [];
  inventory = this.#start();
  #clock = 0;

  async run(each: Step): Promise<void> {
    if (each.do === 'plug' && !this.plugged.has(each.port)) {
      const spec = SPECS[each.spec];
      if (spec) this.kernel.plug(each.port, spec);
      this.plugged.add(each.port);
    }
    if (each.do === 'unplug' && this.plugged.delete(each.port)) this.kernel.unplug(each.port);
    if (each.do === 'claim' || each.do === 'unclaim') {
      const name = this.inventory.list().find(({ busID }) => busID === each.port)?.name;
      if (name && each.do === 'claim') this.claimed.add(name);
      if (name && each.do === 'unclaim') this.claimed.delete(name);
    }
    if (each.do === 'restart') this.inventory = this.#start();
    if (each.do === 'judge') await this.inventory.judgeAgain(`t${++this.#clock}`);
    await this.look();
  }

  async look(): Promise<void> {
    const seen = [...this.plugged].flatMap((busId) => {
      const device = this.kernel.readDevice(busId);
      return device ? [{ device, use: NO_USE }] : [];
    });
    await this.inventory.take(seen, `t${++this.#clock}`);
  }

  #start(): NodeInventory {
    return new NodeInventory({
      nodeName: 'a',
      identities: this.saved,
      saveIdentities: async (map) => {
        this.saved = decodeIdentityMap(encodeIdentityMap(map));
      },
      judge: (devices) => devices.map(() => ({ verdict: 'Offered', rule: 'r', reason: 'x' })),
      readNow: () => undefined,
      allocated: () => this.claimed,
      held: () => new Set(),
      onChange: () => undefined,
    });
  }
}

function nameAt(model: Model, busId: string): string | undefined {
  return model.inventory.list().find(({ busID }) => busID === busId)?.name;
}

describe('after any sequence of events', () => {
  it('every plugged device has one name, and no name is that of two devices, plugged or lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const model = new Model();
        for (const each of steps) {
          await model.run(each);
          const names = model.inventory.list().map(({ name }) => name);
          const lost = model.inventory.lost().map(({ status }) => status.name);
          expect(new Set(model.inventory.list().map(({ busID }) => busID))).toEqual(model.plugged);
          expect(new Set([...names, ...lost]).size).toBe(names.length + lost.length);
          for (const name of lost) expect(model.claimed).toContain(name);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('a device that stays keeps its name, and the time when it was plugged while the agent lives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
        const model = new Model();
        for (const each of steps) {
          const before = new Map(model.inventory.list().map((status) => [status.busID, status]));
          await model.run(each);
          for (const [busId, { name, pluggedAt }] of before) {
            const now = model.inventory.list().find(({ busID }) => busID === busId);
            if (!now || (each.do === 'plug' && each.port === busId)) continue;
            expect(now.name).toBe(name);
            if (each.do !== 'restart') expect(now.pluggedAt).toBe(pluggedAt);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('the same device in the same port gets the name that it had, whatever was there meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), fc.nat(SPECS.length - 1), async (steps, spec) => {
        const model = new Model();
        await model.run({ do: 'plug', port: '1-1', spec });
        const name = nameAt(model, '1-1') ?? '';
        model.claimed.add(name);
        for (const each of steps) {
          // The claim stays, and the port is left to this device.
          if (each.do === 'unclaim' || (each.do === 'plug' && (each.port === '1-1' || each.spec === spec)))
            continue;
          await model.run(each);
        }
        if (model.plugged.has('1-1')) await model.run({ do: 'unplug', port: '1-1' });
        await model.run({ do: 'plug', port: '1-1', spec });
        expect(nameAt(model, '1-1')).toBe(name);
      }),
      { numRuns: 60 },
    );
  });
});
