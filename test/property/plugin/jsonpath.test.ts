// Laws of templates, orders and columns, for any object and any text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../plugin/output/jsonpath/evaluate.ts';
import { goJson } from '../../../plugin/output/jsonpath/go-text.ts';
import { parseTemplate } from '../../../plugin/output/jsonpath/parse-template.ts';
import { renderTemplate } from '../../../plugin/output/jsonpath/render-template.ts';
import { sorterBy } from '../../../plugin/output/sort-by.ts';
import { codeOf } from '../../unit/plugin/code-of.ts';

const render = (template: string, object: unknown) =>
  renderTemplate(parseTemplate(template), object, (text) => text);

const key = fc.stringMatching(/^[a-z][a-z0-9./ -]{0,6}$/).map((text) => text.trim());
const escaped = (name: string) => name.replace(/[. [\]]/g, '\\$&');

/** Pieces that templates are made of, so that most texts come near to the grammar. */
const nearTemplate = fc
  .array(
    fc.oneof(
      fc.constantFrom('{', '}', '[', ']', '[?(', ')]', '.', '..', '*', '@', '$', '"', "'", '\\', ',', ':'),
      fc.constantFrom('range ', 'end', '==', '<', '1', '-1', 'a', '.a', '[0]', '[*]', ' ', '\n', 'true', '#'),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

describe('a template', () => {
  it('is printed or refused as USAGE, whatever it is', () => {
    fc.assert(
      fc.property(nearTemplate, fc.jsonValue({ maxDepth: 3 }), (template, object) => {
        expect([undefined, 'USAGE']).toContain(codeOf(() => render(template, object)));
      }),
      { numRuns: 2000 },
    );
  });

  it('without braces is printed as it is', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('{')),
        (text) => {
          expect(render(text, {})).toBe(text);
        },
      ),
    );
  });

  it('finds a field by its name, with backslashes or in quotes', () => {
    fc.assert(
      fc.property(key, fc.integer(), (name, value) => {
        fc.pre(name !== '');
        expect(render(`{.${escaped(name)}}`, { [name]: value })).toBe(String(value));
        fc.pre(!/[,\]]/.test(name));
        expect(render(`{['${escaped(name)}']}`, { [name]: value })).toBe(String(value));
      }),
    );
  });

  it('slices lists as JavaScript does, where the ends are in the list', () => {
    const bounds = fc.tuple(fc.array(fc.integer()), fc.nat(8), fc.nat(8), fc.integer({ min: 1, max: 3 }));
    fc.assert(
      fc.property(bounds, ([list, from, to, step]) => {
        fc.pre(from < to && to <= list.length);
        const expected = list.slice(from, to).filter((_, index) => index % step === 0);
        expect(render(`{[${from}:${to}:${step}]}`, list)).toBe(expected.join(' '));
      }),
    );
  });

  it('reaches everything with .. that JSON has in it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (object) => {
        const found = evaluate([{ kind: 'descent' }, { kind: 'field', name: 'x' }], object);
        let count = 0;
        JSON.stringify({ object }, (name, value) => {
          if (name === 'x') count++;
          return value;
        });
        expect(found).toHaveLength(count);
      }),
    );
  });

  it('splits a list by a comparison and its contrary', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.nat(9), (list, limit) => {
        const count = (operator: string) => render(`{range [?(@${operator}${limit})]}x{end}`, list).length;
        for (const [one, other] of [
          ['<', '>='],
          ['>', '<='],
          ['==', '!='],
        ] as const) {
          expect(count(one) + count(other)).toBe(list.length);
        }
      }),
    );
  });

  it('prints maps and lists as JSON that reads back as the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (object) => {
        expect(JSON.parse(goJson(object))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });
});

describe('--sort-by', () => {
  const items = fc.array(
    fc.record({ key: fc.option(fc.oneof(fc.integer(), fc.string(), fc.boolean())), at: fc.nat() }),
    { minLength: 1 },
  );

  it('keeps all items, puts none without value before one with, and equal ones in their order', () => {
    fc.assert(
      fc.property(items, (given) => {
        const numbered = given.map((item, at) => ({ ...item, at }));
        const sorted = sorterBy('.key')(numbered, (item) => item);
        expect(sorted.toSorted((a, b) => a.at - b.at)).toEqual(numbered);
        for (const [index, item] of sorted.entries()) {
          const next = sorted[index + 1];
          if (!next) continue;
          if (item.key === null) expect(next.key).toBeNull();
          if (typeof item.key === typeof next.key && item.key !== null && next.key !== null) {
            expect(item.key <= next.key).toBe(true);
          }
          if (item.key === next.key) expect(item.at).toBeLessThan(next.at);
        }
      }),
    );
  });

  it('changes nothing in what is sorted', () => {
    fc.assert(
      fc.property(items, (given) => {
        const once = sorterBy('.key')(given, (item) => item);
        expect(sorterBy('{.key}')(once, (item) => item)).toEqual(once);
      }),
    );
  });
});
