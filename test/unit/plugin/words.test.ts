// Nearest words, durations, colours: the small decisions of the command line.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wantsColour } from '../../../plugin/output/colour.ts';
import { describeFailure } from '../../../plugin/output/failure.ts';
import { paint } from '../../../plugin/output/paint.ts';
import { parseDuration } from '../../../plugin/run/duration.ts';
import { editDistance, nearest } from '../../../plugin/run/nearest.ts';
import { ERROR_CODES } from '../../../proto/api/error-codes.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { codeOf } from './code-of.ts';

describe('nearest', () => {
  it.each([
    ['lsit', 'list'],
    ['lst', 'list'],
    ['LIST', 'list'],
    ['shwo', 'show'],
    ['--wathc', '--watch'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, ['list', 'show', '--watch'])).toBe(meant);
  });

  it('has no guess for a word that is far from all', () => {
    expect(nearest('attach', ['list', 'show'])).toBeUndefined();
    expect(nearest('xy', ['list'])).toBeUndefined();
    expect(nearest('list', [])).toBeUndefined();
  });

  it('prefers the nearer one', () => {
    expect(nearest('versions', ['verson', 'version'])).toBe('version');
  });
});

describe('editDistance', () => {
  it('counts a swap of neighbours as one', () => {
    expect(editDistance('ab', 'ba')).toBe(1);
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
  });

  it('is 0 for equal words only, symmetric, and no more than the longer word', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['10', 10_000],
    ['10s', 10_000],
    ['500ms', 500],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['0s', 0],
  ])('reads %s as %i ms', (text, milliseconds) => {
    expect(parseDuration('request-timeout', text)).toBe(milliseconds);
  });

  it.each(['-1s', 'soon', '10 s', '1d', 's', '10s!', '1.s'])('refuses %s', (text) => {
    expect(codeOf(() => parseDuration('request-timeout', text))).toBe('USAGE');
  });
});

describe('wantsColour', () => {
  it('colours terminals and nothing else', () => {
    expect(wantsColour({}, true)).toBe(true);
    expect(wantsColour({}, false)).toBe(false);
    expect(wantsColour({ TERM: 'dumb' }, true)).toBe(false);
  });

  it('honours NO_COLOR unless it is empty', () => {
    expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false);
    expect(wantsColour({ NO_COLOR: '' }, true)).toBe(true);
  });

  it('honours FORCE_COLOR above all', () => {
    expect(wantsColour({ FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }, false)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: '0' }, true)).toBe(false);
    expect(wantsColour({ FORCE_COLOR: 'false' }, true)).toBe(false);
    expect(wantsColour({ FORCE_COLOR: '' }, false)).toBe(false);
  });
});

describe('paint', () => {
  it('leaves text alone without colour or style', () => {
    expect(paint('x', 'red', false)).toBe('x');
    expect(paint('x', undefined, true)).toBe('x');
    expect(paint('x', 'red', true)).toBe('\u001b[31mx\u001b[0m');
  });
});

describe('describeFailure', () => {
  it('gives every code its exit code', () => {
    for (const [code, { exit }] of Object.entries(ERROR_CODES)) {
      const failure = describeFailure(new TypedError(code as keyof typeof ERROR_CODES, 'x'), false);
      expect(failure).toEqual({ text: `error: x (${code})\n`, exit });
    }
  });

  it('names anything else a fault of ours, with the place', () => {
    const { text, exit } = describeFailure(new RangeError('bad index'), false);
    expect(exit).toBe(1);
    expect(text).toMatch(/^error: bad index \(INTERNAL\)\nhint: .*report[\s\S]*words\.test\.ts/);
    expect(describeFailure('just text', false).exit).toBe(1);
  });
});
