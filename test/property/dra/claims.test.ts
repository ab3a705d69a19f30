// Any history of claims, crashes and reboots on one node: nobody shares a device, and nothing stays behind.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClaimCheckpoint } from '../../../node/dra/checkpoint.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { codeOf, DriverBench, NOTHING } from '../../support/dra/driver-bench.ts';
import { Fuse } from '../../support/dra/fuse.ts';
import { claimObject, ref } from '../../support/dra/objects.ts';

const DEVICES = [
  { request: 'one', pool: 'a', device: 'usb-far' },
  { request: 'two', pool: 'a', device: 'usb-far2' },
  { request: 'three', pool: 'b', device: 'usb-near' },
];
const CLAIMS = [0, 1, 2].map((n) => ref(`c${n}`));
const never = new AbortController().signal;

const claim = fc.constantFrom(...CLAIMS);
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('prepare' as const), claim }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('unprepare' as const), claim }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail in prepare' as const),
      claim,
      at: fc.nat({ max: 15 }),
      dies: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail in unprepare' as const),
      claim,
      at: fc.nat({ max: 3 }),
      dies: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('reboot' as const) }),
  fc.record({ do: fc.constant('lose a device' as const) }),
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const allocations = fc.tuple(...CLAIMS.map(() => fc.subarray(DEVICES, { minLength: 1 })));

class Node {
  readonly bench = new DriverBench();
  #boot = 1;

  constructor(allocated: (typeof DEVICES)[]) {
    for (const [i, name] of CLAIMS.entries()) {
      this.bench.kube.put(RESOURCE_TYPES.resourceClaims, claimObject(name, allocated[i] ?? []));
    }
  }

  start(fuse = new Fuse()) {
    return this.bench.start({ fuse, bootId: this.bootId, patience: { wait: 0, poll: 1 } });
  }

  get bootId(): string {
    return `boot-${this.#boot}`;
  }

  async happen(event: Event): Promise<void> {
    switch (event.do) {
      case 'prepare': {
        const outcomes = await this.start().driver.prepare([event.claim], never);
        expect(['ok', 'DEVICE_BUSY']).toContain(codeOf(outcomes, event.claim));
        if (codeOf(outcomes, event.claim) === 'ok') await this.expectUsable(event.claim.uid);
        return;
      }
      case 'unprepare':
        expect(codeOf(await this.start().driver.unprepare([event.claim]), event.claim)).toBe('ok');
        return;
      case 'fail in prepare':
        await this.start(new Fuse(event.at, event.dies)).driver.prepare([event.claim], never);
        return;
      case 'fail in unprepare':
        await this.start(new Fuse(event.at, event.dies)).driver.unprepare([event.claim]);
        return;
      case 'reboot':
        this.#boot++;
        this.bench.kernel.held.clear();
        return;
      case 'lose a device': {
        const [first] = this.bench.kernel.held.keys();
        if (first !== undefined) this.bench.kernel.held.delete(first);
      }
    }
  }

  async records(): Promise<ClaimCheckpoint[]> {
    const all = await this.start().host.claims.list();
    return all.filter(({ bootId }) => bootId === this.bootId);
  }

  async expectUsable(uid: string): Promise<void> {
    const record = (await this.records()).find((one) => one.claim.uid === uid);
    expect(record?.state).toBe('PrepareCompleted');
    for (const { attachment } of record?.devices ?? []) {
      expect(this.bench.kernel.held.has(JSON.stringify(attachment))).toBe(true);
    }
  }

  /** What must be true after every event. */
  async expectSound(): Promise<void> {
    const devices = (await this.records()).flatMap((record) => record.devices);
    const names = devices.map(({ pool, device }) => `${pool}/${device}`);
    expect(new Set(names).size).toBe(names.length);
    const recorded = devices.map(({ attachment }) => JSON.stringify(attachment));
    for (const held of this.bench.kernel.held.keys()) expect(recorded).toContain(held);
  }
}

describe('the claims of a node', () => {
  it('never share a device, never lose one, and leave nothing behind', async () => {
    const history = fc.array(event, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(allocations, history, async (allocated, events) => {
        const node = new Node(allocated);
        try {
          for (const one of events) {
            await node.happen(one);
            await node.expectSound();
          }
          const outcomes = await node.start().driver.unprepare(CLAIMS);
          for (const name of CLAIMS) expect(codeOf(outcomes, name)).toBe('ok');
          expect(node.bench.leftovers()).toEqual(NOTHING);
        } finally {
          node.bench.dispose();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('may all ask at once: each device has one winner at most, and the losers keep nothing', async () => {
    await fc.assert(
      fc.asyncProperty(allocations, async (allocated) => {
        const node = new Node(allocated);
        try {
          const { driver } = node.start();
          const outcomes = await driver.prepare(CLAIMS, never);
          const winners = CLAIMS.filter((name) => codeOf(outcomes, name) === 'ok');
          expect(winners.length).toBeGreaterThan(0);
          expect((await node.records()).map((record) => record.claim.uid)).toEqual(
            winners.map(({ uid }) => uid),
          );
          await node.expectSound();
        } finally {
          node.bench.dispose();
        }
      }),
      { numRuns: 15 },
    );
  });
});
