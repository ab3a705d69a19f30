// Whatever the quick YAML reader accepts, it reads as the full parser does.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { readPlainYaml } from '../../../proto/kube/config/plain-yaml.ts';

/** Both agree, or the quick one gives up. An error of the full parser is a disagreement. */
function agrees(text: string): boolean {
  const value = readPlainYaml(text);
  if (value === undefined) return false;
  expect(value).toEqual(parse(text, { version: '1.2', schema: 'core' }));
  return true;
}

const word = fc.stringMatching(/^[A-Za-z0-9_./:@+=,;~%&?*!()<>$^|#'"{}[\]-]{1,8}$/);
const scalar = fc.oneof(
  fc.constantFrom(
    'true',
    'false',
    'null',
    '~',
    '{}',
    '[]',
    '-1',
    '0x1',
    '1e3',
    '.5',
    '.inf',
    '',
    '---',
    '"a"',
    "'b'",
  ),
  word,
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
);
const simple = fc.constantFrom('v', 'x/y', 'https://h:1', '--f', '-f', '"q: r"', 'w w', '{}', 'true');
const often = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Indent, dash, key and value; the key is unique to its line, so that depth and order are what varies. */
const line = (i: number) =>
  fc
    .tuple(
      often(fc.constantFrom('', '', '  ', '    '), fc.constantFrom(' ', '      ', '\t')),
      often(fc.constantFrom('', '', '- '), fc.constantFrom('-', '- - ', '-  ')),
      fc.oneof(
        { weight: 5, arbitrary: fc.tuple(fc.constant(`k${i}: `), often(simple, scalar)) },
        { weight: 4, arbitrary: fc.constant([`k${i}:`, '']) },
        { weight: 2, arbitrary: fc.tuple(fc.constantFrom('', 'k0: ', 'true: ', 'a:  '), simple) },
      ),
      often(fc.constant(''), fc.constantFrom(' ', ' # x', '\r', '\n#c', '\n  # c')),
    )
    .map(([indent, dash, [key, value], end]) => `${indent}${dash}${key}${value}${end}`);

describe('the plain reader', () => {
  it('reads every soup of lines as the full parser does, or gives up', () => {
    const soup = fc
      .integer({ min: 1, max: 6 })
      .chain((length) => fc.tuple(...Array.from({ length }, (_, i) => line(i))))
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(soup, (text) => {
        agrees(text);
      }),
      { numRuns: 1500 },
    );
  });

  it('reads tidy blocks with odd scalars as the full parser does, or gives up', () => {
    const block = fc
      .array(fc.tuple(fc.constantFrom('x', 'y', 'z', 'w'), scalar), { minLength: 1, maxLength: 3 })
      .map((pairs) => pairs.map(([key, value]) => `- ${key}: ${value}\n  k: ${value}`).join('\n'));
    fc.assert(
      fc.property(block, (text) => {
        agrees(`list:\n${text}\nend: here\n`);
      }),
      { numRuns: 400 },
    );
  });

  it('understands what a serializer writes of plain names', () => {
    const name = fc
      .stringMatching(/^[a-z][a-z0-9]{0,5}([-./][a-z0-9]{1,4})?$/)
      .filter((text) => !/^(null|true|false)$/.test(text));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.dictionary(
        name,
        fc.oneof({ maxDepth: 3 }, name, fc.boolean(), tie('tree'), fc.array(name), fc.array(tie('tree'))),
        {
          minKeys: 1,
          maxKeys: 4,
          noNullPrototype: true,
        },
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(agrees(stringify(value, { lineWidth: 0 }))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
