// Text on terminals: unsafe characters, widths, ages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ageSince, humanDuration } from '../../../plugin/output/age.ts';
import { formatDocument } from '../../../plugin/output/document.ts';
import { isUnsafe, safeText } from '../../../plugin/output/safe-text.ts';
import { cutToWidth, textWidth } from '../../../plugin/output/text-width.ts';
import { ago, NOW } from './lab-facts.ts';

/** Text with what devices are known to send, and worse. */
const nasty = fc.string({
  unit: fc.oneof(
    fc.string({ minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      '\u001b',
      '\u009b',
      '\u202e',
      '\u2066',
      '\u200b',
      '\u2028',
      '\ufeff',
      '\n',
      '\r',
      '\t',
      '\0',
      '\u{e0041}',
      '打',
      '\\',
      '"',
      'é',
      '😀',
    ),
  ),
});

describe('safeText', () => {
  it.each([
    ['\u001b[31mred', '\\x1b[31mred'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['two\nlines\t', 'two\\x0alines\\x09'],
    ['\u009b2J', '\\x9b2J'],
    ['\u200bzero\ufeff', '\\u{200b}zero\\u{feff}'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['lone \ud800', 'lone \\u{d800}'],
    ['日本 é 😀 ok', '日本 é 😀 ok'],
  ])('shows %j as %s', (text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  it('leaves nothing unsafe in any text', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(isUnsafe(safeText(text))).toBe(false);
      }),
    );
  });
});

describe('formatDocument', () => {
  const values = fc.record({
    text: nasty,
    list: fc.array(fc.oneof(nasty, fc.integer(), fc.boolean(), fc.constant(null))),
    nested: fc.dictionary(fc.constantFrom('a', 'b', 'no', '1'), nasty),
  });

  it('prints JSON that reads back as the same value and holds nothing unsafe', async () => {
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const text = await formatDocument(value, 'json');
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(isUnsafe(text.replaceAll('\n', ''))).toBe(false);
      }),
    );
  });

  it('prints YAML that reads back as the same value and holds nothing unsafe', async () => {
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const text = await formatDocument(value, 'yaml');
        expect(parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(isUnsafe(text.replaceAll('\n', ''))).toBe(false);
      }),
    );
  });

  it('quotes what a reader of YAML 1.1 takes for something else than text', async () => {
    const value = { a: 'on', b: '12:30:45', c: '2026-03-01T12:00:00Z', d: '0951', e: 'no', f: '1e5' };
    const text = await formatDocument(value, 'yaml');
    for (const word of Object.values(value)) expect(text).toContain(`"${word}"`);
    expect(parse(text, { version: '1.1' })).toEqual(value);
  });
});

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['打印机', 6],
    ['한글', 4],
    ['ｶﾅ', 2],
    ['Ａ', 2],
    ['😀', 2],
    ['…', 1],
  ])('of %j is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('cutToWidth', () => {
  it('keeps what fits and marks what it cut', () => {
    expect(cutToWidth('short', 5)).toBe('short');
    expect(cutToWidth('longer', 5)).toBe('long…');
    expect(cutToWidth('打印机', 5)).toBe('打印…');
    expect(cutToWidth('打印机', 4)).toBe('打…');
  });

  it('never gets wider than asked', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 30 }), (text, columns) => {
        const safe = safeText(text);
        expect(textWidth(cutToWidth(safe, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('humanDuration', () => {
  const MINUTE = 60;
  const HOUR = 3600;
  const DAY = 24 * HOUR;
  // The cases of kubectl's own table (HumanDuration).
  it.each([
    [-2, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [0.9, '0s'],
    [70, '70s'],
    [119, '119s'],
    [2 * MINUTE, '2m'],
    [70 * MINUTE, '70m'],
    [9 * MINUTE + 5, '9m5s'],
    [10 * MINUTE, '10m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 30 * MINUTE, '7h30m'],
    [8 * HOUR, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [49 * HOUR, '2d1h'],
    [7 * DAY + 3 * HOUR, '7d3h'],
    [8 * DAY, '8d'],
    [729 * DAY, '729d'],
    [730 * DAY, '2y'],
    [731 * DAY, '2y1d'],
    [8 * 365 * DAY, '8y'],
    [3000 * DAY, '8y'],
  ])('prints %d seconds as %s', (seconds, text) => {
    expect(humanDuration(seconds)).toBe(text);
  });
});

describe('ageSince', () => {
  it('is unknown for a time that is missing or unreadable', () => {
    expect(ageSince(undefined, NOW)).toBe('<unknown>');
    expect(ageSince('yesterday', NOW)).toBe('<unknown>');
    expect(ageSince(ago(61), NOW)).toBe('61s');
  });
});
