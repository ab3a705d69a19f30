// Laws of the pure parts of the Kubernetes client.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { answerError } from '../../../proto/kube/rest/answer-error.ts';
import type { CallSubject } from '../../../proto/kube/rest/call-subject.ts';
import { connectionError } from '../../../proto/kube/rest/connection-error.ts';
import { LineSplitter } from '../../../proto/kube/rest/line-splitter.ts';
import { queryText, resourcePath } from '../../../proto/kube/rest/paths.ts';
import { LONGEST_WAIT, retryAfter } from '../../../proto/kube/rest/retry-after.ts';
import { decodeWatchEvent } from '../../../proto/kube/rest/watch-event.ts';
import { backoffDelay } from '../../../proto/kube/watch/backoff.ts';

const type = { group: 'kubectl-virt.dev', version: 'v1alpha1', plural: 'usbnodestatuses' };
const subject: CallSubject = {
  verb: 'get',
  type,
  key: { name: 'a' },
  server: 'https://api.example:6443',
  source: 'context test',
};

/** Text with characters of one to four bytes and no newline. */
const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' ').toWellFormed());

/** Cuts bytes at any places, inside characters as well. */
function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe('LineSplitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(line), line, fc.array(fc.nat()), (lines, rest, cuts) => {
        const splitter = new LineSplitter(1_000_000);
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join('') + rest);
        expect(chunksOf(bytes, cuts).flatMap((chunk) => splitter.push(chunk))).toEqual(lines);
        expect(splitter.held).toBe(Buffer.byteLength(rest));
      }),
    );
  });

  it('never holds more than its limit', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.array(fc.nat(20), { minLength: 1 }), (limit, sizes) => {
        const splitter = new LineSplitter(limit);
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const feed = () => sizes.forEach((size) => void splitter.push(Buffer.alloc(size, 'x')));
        if (total > limit) expect(feed).toThrow(TypedError);
        else expect(feed).not.toThrow();
      }),
    );
  });
});

describe('paths', () => {
  it('have one segment for each part, whatever it holds', () => {
    const part = fc.string({ minLength: 1, unit: 'binary' }).map((text) => text.toWellFormed());
    fc.assert(
      fc.property(part, part, (namespace, name) => {
        const segments = resourcePath(type, { namespace, name }, 'status').split('/').map(decodeURIComponent);
        const expected = ['', 'apis', type.group, type.version, 'namespaces', namespace, type.plural, name];
        expect(segments).toEqual([...expected, 'status']);
      }),
    );
  });

  it('carry every parameter through the query, and leave out those that are not set', () => {
    const value = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());
    fc.assert(
      fc.property(value, (text) => {
        const query = new URLSearchParams(queryText({ labelSelector: text, limit: 5, absent: undefined }));
        expect(query.get('labelSelector') ?? '').toBe(text);
        expect(query.get('limit')).toBe('5');
        expect(query.has('absent')).toBe(false);
      }),
    );
  });
});

describe('waits', () => {
  it('Retry-After is obeyed within bounds and never trusted beyond', () => {
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), fc.nat(), (header, now) => {
        const wait = retryAfter(header, now);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(LONGEST_WAIT);
      }),
    );
    expect(retryAfter('2', 0)).toBe(2000);
    expect(retryAfter('Thu, 01 Jan 1970 00:00:03 GMT', 1000)).toBe(2000);
    expect(retryAfter(undefined, 0)).toBe(1000);
  });

  it('backoff lies between half and all of a doubled, bounded delay', () => {
    const limits = { first: 200, longest: 30_000 };
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, r) => {
          const full = Math.min(30_000, 200 * 2 ** (failures - 1));
          const delay = backoffDelay(failures, r, limits);
          expect(delay).toBeGreaterThanOrEqual(full / 2);
          expect(delay).toBeLessThanOrEqual(full);
        },
      ),
    );
  });
});

describe('answers of any kind', () => {
  it('become a typed error that names the object and holds no control characters of the server', () => {
    const body = fc.oneof(fc.string({ unit: 'binary' }), fc.json());
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), body, (status, text) => {
        const error = answerError(subject, status, text);
        expect(error).toBeInstanceOf(TypedError);
        expect(error.message).toContain('usbnodestatuses.kubectl-virt.dev');
        expect(error.message).not.toMatch(/[\p{Cc}]/u);
      }),
    );
  });

  it('a failed connection becomes a typed error whatever its code', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (code) => {
        expect(connectionError(subject, Object.assign(new Error('x'), { code }))).toBeInstanceOf(TypedError);
      }),
    );
  });

  it('a line of a watch is an event or a typed error', () => {
    const event = fc.record({ type: fc.constantFrom('ADDED', 'BOOKMARK', 'ERROR', 'X'), object: fc.json() });
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      event.map(({ type, object }) => JSON.stringify({ type, object: JSON.parse(object) })),
    );
    fc.assert(
      fc.property(text, (wire) => {
        try {
          const { type } = decodeWatchEvent(subject, wire);
          expect(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']).toContain(type);
        } catch (error) {
          expect(error).toBeInstanceOf(TypedError);
        }
      }),
    );
  });
});
