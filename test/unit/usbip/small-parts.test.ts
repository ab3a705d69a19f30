// Limits, polling and codes: the small parts that the rest is made of.
import { describe, expect, it } from 'vitest';
import { errnoOf } from '../../../node/usbip/kernel-errno.ts';
import { pollUntil } from '../../../node/usbip/polling.ts';
import { RateLimit } from '../../../node/usbip/rate-limit.ts';
import { refusalError, refusalStatus } from '../../../node/usbip/refusal-status.ts';
import { STATUS } from '../../../node/usbip/wire.ts';
import type { ErrorCode } from '../../../proto/api/error-codes.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { codeOf } from '../../support/usbip-nodes.ts';

describe('rate limit', () => {
  it('grants a burst, then one for each time that has come in', () => {
    const limit = new RateLimit(2, 1);
    expect([0, 0, 0, 500, 1000, 1000].map((now) => limit.allow('a', now))).toEqual([
      true,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('is counted for each peer', () => {
    const limit = new RateLimit(1, 1);
    expect([limit.allow('a', 0), limit.allow('b', 0), limit.allow('a', 0)]).toEqual([true, true, false]);
  });

  it('a peer that is refused all the time comes through as often as one that waits', () => {
    const limit = new RateLimit(1, 1);
    const allowed = Array.from({ length: 100 }, (_, i) => limit.allow('a', i * 100)).filter(Boolean);
    expect(allowed.length).toBeGreaterThanOrEqual(9);
  });

  it('forgets peers that have been quiet', () => {
    const limit = new RateLimit(2, 1);
    for (let i = 0; i < 100; i++) limit.allow(`10.0.0.${i}`, 0);
    limit.allow('later', 10_000);
    expect(limit.size).toBe(1);
  });
});

describe('polling', () => {
  it('ends with the first answer', async () => {
    let looks = 0;
    expect(await pollUntil(() => (++looks === 3 ? 'there' : undefined), { interval: 1, timeout: 1000 })).toBe(
      'there',
    );
    expect(looks).toBe(3);
  });

  it('ends without an answer when the time is over, having looked at least once', async () => {
    let looks = 0;
    expect(await pollUntil(() => void looks++, { interval: 1, timeout: 0 })).toBeUndefined();
    expect(looks).toBe(1);
  });

  it('ends at once when the caller gives up', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 5);
    const start = performance.now();
    expect(await codeOf(pollUntil(() => undefined, { interval: 5000, timeout: 5000 }, abort.signal))).toBe(
      'TIMED_OUT',
    );
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('errno', () => {
  it('is found in the cause of a kernel error', () => {
    const cause = Object.assign(new Error('write'), { code: 'EBUSY' });
    expect(errnoOf(new TypedError('KERNEL', 'write failed', undefined, { cause }))).toBe('EBUSY');
  });

  it('is none where our own code stands', () => {
    expect(errnoOf(new TypedError('KERNEL', 'x'))).toBeUndefined();
    expect(errnoOf('EBUSY')).toBeUndefined();
  });
});

describe('refusals on the wire', () => {
  it.each<[ErrorCode, number]>([
    ['NOT_GRANTED', STATUS.notAllowed],
    ['DEVICE_BLOCKED', STATUS.notAllowed],
    ['DEVICE_BUSY', STATUS.busy],
    ['DEVICE_NOT_FOUND', STATUS.noDevice],
    ['KERNEL', STATUS.deviceError],
    ['INTERNAL', STATUS.error],
  ])('%s is sent as %d', (code, status) => {
    expect(refusalStatus(new TypedError(code, 'x'))).toBe(status);
  });

  it('a bug is sent as an error, never as ok', () => {
    expect(refusalStatus(new RangeError('x'))).toBe(STATUS.error);
  });

  it.each<[number, ErrorCode]>([
    [STATUS.notAllowed, 'PEER_REFUSED'],
    [STATUS.busy, 'DEVICE_BUSY'],
    [STATUS.deviceError, 'PEER_REFUSED'],
    [STATUS.noDevice, 'DEVICE_NOT_FOUND'],
    [STATUS.error, 'PEER_REFUSED'],
    [77, 'PEER_REFUSED'],
  ])('%d is received as %s', (status, code) => {
    expect(refusalError(status, '1-1', 'a:4280').code).toBe(code);
  });
});
