// Laws of the small pure parts of the driver.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClaimCache } from '../../../node/dra/claim-cache.ts';
import type { ClaimUse } from '../../../node/dra/claim-use.ts';
import { cutText, identityAttribute, sliceDevice, targetOf } from '../../../node/dra/device-attributes.ts';
import { type NodeState, planMarks, planUnmark } from '../../../node/dra/node-marks.ts';
import { formatPeerAddress, parsePeerAddress } from '../../../node/dra/peer-address.ts';
import { NODE_LABELS } from '../../../proto/api/names.ts';
import type { ObjectMeta } from '../../../proto/api/resource.ts';
import { quietLog } from '../../support/dra/driver-bench.ts';
import { published, ref } from '../../support/dra/objects.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 120 });

describe('a cut text', () => {
  it('is a beginning that fits, and one character more would not', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 80 }), (whole, bytes) => {
        const cut = cutText(whole, bytes);
        expect(whole.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
        const [next = ''] = whole.slice(cut.length);
        if (cut !== whole) expect(Buffer.byteLength(cut) + Buffer.byteLength(next)).toBeGreaterThan(bytes);
      }),
    );
  });
});

describe('an identity', () => {
  it('fits the attribute, and two of them stay different', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(Buffer.byteLength(identityAttribute(one))).toBeLessThanOrEqual(64);
        if (one !== other) expect(identityAttribute(one)).not.toBe(identityAttribute(other));
      }),
    );
  });
});

describe('what an importer reads of a device', () => {
  const hex4 = fc.nat({ max: 0xffff }).map((n) => n.toString(16).padStart(4, '0'));

  it('is what its owner published', () => {
    fc.assert(
      fc.property(hex4, hex4, fc.string({ maxLength: 16 }), (vendorID, productID, serial) => {
        const target = targetOf(sliceDevice(published('usb-x', { vendorID, productID, serial })));
        expect(target?.vendorId).toBe(Number.parseInt(vendorID, 16));
        expect(target?.productId).toBe(Number.parseInt(productID, 16));
        expect(target?.serial ?? '').toBe(serial);
      }),
    );
  });
});

describe('the address of a peer', () => {
  it('reads as it was written', () => {
    const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
    fc.assert(
      fc.property(host, fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        expect(parsePeerAddress(formatPeerAddress({ host: name, port }))).toEqual({ host: name, port });
      }),
    );
  });
});

describe('the marks of a node', () => {
  const hub = fc
    .nat({ max: 8 })
    .chain((total) => fc.record({ total: fc.constant(total), used: fc.nat({ max: total }) }));
  const state: fc.Arbitrary<NodeState> = fc
    .record({ highSpeed: hub, superSpeed: hub, shared: fc.boolean() })
    .map(({ shared, ...ports }) => ({
      nodeName: 'a',
      ports,
      ...(shared && { address: { host: '10.0.0.1', port: 4280 } }),
    }));

  /** RFC 7396 for one level of text values. */
  function applied(metadata: ObjectMeta, patch: ReturnType<typeof planMarks>): ObjectMeta {
    const merge = (before: Record<string, string> = {}, changes: Record<string, string | null> = {}) =>
      Object.fromEntries(
        Object.entries({ ...before, ...changes }).filter(
          (entry): entry is [string, string] => entry[1] !== null,
        ),
      );
    return {
      labels: merge(metadata.labels, patch?.metadata.labels),
      annotations: merge(metadata.annotations, patch?.metadata.annotations),
    };
  }

  it('are complete after one patch, whatever was there, and leave other keys alone', () => {
    fc.assert(
      fc.property(state, state, (before, after) => {
        const first = applied({ labels: { other: 'x' } }, planMarks(before, {}));
        const second = applied(first, planMarks(after, first));
        expect(planMarks(after, second)).toBeUndefined();
        expect(second.labels?.other).toBe('x');
      }),
    );
  });

  it('invite imports only while both hubs have a free port', () => {
    fc.assert(
      fc.property(state, (one) => {
        const { labels } = applied({}, planMarks(one, {}));
        const free = (['highSpeed', 'superSpeed'] as const).filter((hubName) => {
          const { used, total } = one.ports[hubName];
          return one.address !== undefined && used < total;
        });
        expect(labels?.[NODE_LABELS.gatewayNode]).toBe(free.length === 2 ? 'any' : 'a');
        expect([labels?.[NODE_LABELS.highSpeed], labels?.[NODE_LABELS.superSpeed]]).toEqual([
          free.includes('highSpeed') ? 'true' : undefined,
          free.includes('superSpeed') ? 'true' : undefined,
        ]);
      }),
    );
  });

  it('are gone after one patch of a clean stop', () => {
    fc.assert(
      fc.property(state, (one) => {
        const marked = applied({}, planMarks(one, {}));
        const left = applied(marked, planUnmark(marked));
        expect(Object.keys(left.labels ?? {})).toEqual([NODE_LABELS.gatewayNode]);
        expect(planUnmark(left)).toBeUndefined();
      }),
    );
  });
});

describe('the cache of claims', () => {
  const use: fc.Arbitrary<ClaimUse> = fc.record({
    claim: fc.constantFrom('c1', 'c2', 'c3').map((name) => ref(name)),
    devices: fc.subarray(['usb-1', 'usb-2']).map((names) => names.map((device) => ({ pool: 'a', device }))),
    pods: fc.constant([]),
  });
  const change = fc.record({
    type: fc.constantFrom('ADDED' as const, 'MODIFIED' as const, 'DELETED' as const),
    object: use,
  });

  it('knows the holders that the last word about each claim tells', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const cache = new ClaimCache(quietLog);
        const last = new Map<string, ClaimUse>();
        for (const { type, object } of changes) {
          cache.onEvent({ type, object });
          if (type === 'DELETED') last.delete(object.claim.name);
          else last.set(object.claim.name, object);
        }
        for (const device of ['usb-1', 'usb-2']) {
          const names = [...last.values()]
            .filter(({ devices }) => devices.some((held) => held.device === device))
            .map(({ claim }) => claim.name);
          expect(
            cache
              .holders('a', device)
              .map(({ claim }) => claim.name)
              .sort(),
          ).toEqual(names.sort());
        }
      }),
    );
  });

  it('forgets with a new list what is not in it', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const cache = new ClaimCache(quietLog);
        for (const { type, object } of changes) cache.onEvent({ type, object });
        cache.onSync([]);
        expect([...cache.holders('a', 'usb-1'), ...cache.holders('a', 'usb-2')]).toEqual([]);
      }),
    );
  });
});
