// The checkpoint codec: every checkpoint survives, everything else is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClaimCheckpoint, decodeCheckpoint, encodeCheckpoint } from '../../../node/dra/checkpoint.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const count = fc.nat();
const mode = fc.constantFrom('usbfs' as const, 'driver' as const);
const attachment = fc.oneof(
  fc.record({ kind: fc.constant('local' as const), mode, busId: text, devid: fc.nat() }),
  fc.record({
    kind: fc.constant('import' as const),
    mode,
    port: count,
    devid: count,
    peer: text,
    remoteBusId: text,
  }),
);
const device = fc.record(
  {
    requests: fc.array(text, { maxLength: 3 }),
    pool: text,
    device: text,
    mode,
    cdiId: text,
    shareId: text,
    usbAddress: text,
    attachment,
  },
  { requiredKeys: ['requests', 'pool', 'device', 'mode', 'cdiId'] },
);
const checkpoint: fc.Arbitrary<ClaimCheckpoint> = fc.record({
  bootId: text,
  claim: fc.record({ namespace: text, name: text, uid: text }),
  state: fc.constantFrom('PrepareStarted' as const, 'PrepareCompleted' as const),
  since: text,
  devices: fc.array(device, { maxLength: 3 }),
});

function codeOf(bytes: string): string {
  try {
    decodeCheckpoint(bytes);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'ok';
}

describe('a checkpoint', () => {
  it('reads as it was written', () => {
    fc.assert(
      fc.property(checkpoint, (value) => {
        expect(decodeCheckpoint(encodeCheckpoint(value))).toEqual(value);
      }),
    );
  });

  it('is the same text whatever the order of its keys', () => {
    fc.assert(
      fc.property(checkpoint, (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse()) as unknown as ClaimCheckpoint;
        expect(encodeCheckpoint(reversed)).toBe(encodeCheckpoint(value));
      }),
    );
  });

  it('that was cut short is corrupt', () => {
    fc.assert(
      fc.property(checkpoint, fc.nat(), (value, at) => {
        const whole = encodeCheckpoint(value).trimEnd();
        expect(codeOf(whole.slice(0, at % whole.length))).toBe('CORRUPT_STATE');
      }),
    );
  });

  it('with another value in any place is corrupt', () => {
    fc.assert(
      fc.property(
        checkpoint,
        fc.constantFrom('bootId', 'state', 'since', 'claim', 'devices'),
        (value, key) => {
          const envelope = JSON.parse(encodeCheckpoint(value));
          const former = envelope.checkpoint[key];
          envelope.checkpoint[key] = key === 'devices' ? [...former, former[0] ?? {}] : 'PrepareOther';
          fc.pre(envelope.checkpoint[key] !== former);
          expect(codeOf(JSON.stringify(envelope))).toBe('CORRUPT_STATE');
        },
      ),
    );
  });

  it('is never anything but a checkpoint or CORRUPT_STATE', () => {
    fc.assert(
      fc.property(fc.json(), (bytes) => {
        expect(codeOf(bytes)).toBe('CORRUPT_STATE');
      }),
    );
    expect(codeOf(encodeCheckpoint({ ...({} as ClaimCheckpoint), claim: {} as never, devices: [] }))).toBe(
      'CORRUPT_STATE',
    );
  });

  it('of a later version is left alone', () => {
    const value = { bootId: 'b', claim: { namespace: 'n', name: 'c', uid: 'u' }, since: 't', devices: [] };
    const later = JSON.parse(encodeCheckpoint({ ...value, state: 'PrepareStarted' }));
    expect(codeOf(JSON.stringify(later))).toBe('ok');
    expect(codeOf(JSON.stringify({ ...later, version: 2 }))).toBe('CORRUPT_STATE');
  });
});
