// JSONPath templates beyond what kubectl's answers show: places of mistakes, and texts that are no harm.
import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../../plugin/output/jsonpath/parse-template.ts';
import { renderTemplate } from '../../../plugin/output/jsonpath/render-template.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';

const render = (template: string, object: unknown) =>
  renderTemplate(parseTemplate(template), object, (text) => text);

/** Character that the error names, counted from 1. */
function placeOf(template: string, object: unknown = {}): number {
  try {
    render(template, object);
  } catch (error) {
    if (error instanceof TypedError && error.code === 'USAGE' && error.hint) {
      return Number(/at character (\d+):/.exec(error.message)?.[1]);
    }
    throw error;
  }
  throw new Error('no mistake was found');
}

describe('a mistake in a template', () => {
  it.each([
    ['a{.b', 2],
    ['{.a}{.b\n}', 5],
    ['{.a[0}', 4],
    ['{.a[x]}', 5],
    ['{.a[1,x]}', 7],
    ['{.a[1:2:0]}', 5],
    ['{.a[?(@.b==1)}', 4],
    ['{.a[?(@.b=1)]}', 10],
    ['{.a[?(@.b==c)]}', 12],
    ['{.a[?(@.b[x]==1)]}', 11],
    ['{.a[?(@.b)].c[x]}', 15],
    ['{"a}', 2],
    ['{"a\\qb"}', 4],
    ['{"\\U00110000"}', 3],
    ['{....a}', 4],
    ['{.a #}', 5],
    ['{1.2.3}', 2],
    ['{.a}{end}', 5],
    ['{range .a[*]}{.b}{end}{end}', 23],
    ['{name}', 2],
  ])('%j is found at character %i', (template, place) => {
    expect(placeOf(template)).toBe(place);
  });

  it('that only the object shows is found at the place of the index or filter', () => {
    expect(placeOf('x{.a[2]}', { a: [1, 2] })).toBe(5);
    expect(placeOf('{.a[-3]}', { a: [1, 2] })).toBe(4);
    expect(placeOf('{.a[2:1]}', { a: [1, 2, 3] })).toBe(4);
    expect(placeOf('{.a[0]}', { a: 'text' })).toBe(4);
    expect(placeOf('{.a[?(@.b)]}', { a: {} })).toBe(4);
    expect(placeOf('{.a[?(@.b==1)]}', { a: [{ b: '1' }] })).toBe(4);
    expect(placeOf('{.a[?(@.b[*]==1)]}', { a: [{ b: [1, 2] }] })).toBe(4);
  });
});

describe('a template', () => {
  it('prints members of maps in the order of their names', () => {
    expect(render('{.*}', { b: 1, a: 2, '10': 3, '9': 4 })).toBe('3 4 2 1');
    expect(render('{@}', { b: 1, a: { '10': 3, '9': 4 } })).toBe('{"a":{"10":3,"9":4},"b":1}');
  });

  it('takes fields that every JavaScript object has for missing', () => {
    expect(render('{.constructor}{.toString}{.__proto__}|', {})).toBe('|');
    expect(render('{.length}|', [1])).toBe('|');
  });

  it('nests ranges', () => {
    const object = { nodes: [{ name: 'a', devices: [1, 2] }, { name: 'b' }, { name: 'c', devices: [3] }] };
    const template = '{range .nodes[*]}{.name}:{range .devices[*]}<{@}>{end};{end}';
    expect(render(template, object)).toBe('a:<1><2>;b:;c:<3>;');
  });

  it('compares integers with fractions, unlike kubectl', () => {
    expect(render('{.a[?(@>1)]}', { a: [1, 1.5, 2] })).toBe('1.5 2');
  });

  it('keeps a parenthesis, a bracket and a brace in quotes', () => {
    expect(render('{.a[?(@.b=="x)]}")].c}', { a: [{ b: 'x)]}', c: 1 }] })).toBe('1');
    expect(render('{"{}"}', {})).toBe('{}');
  });

  it('writes numbers as Go does', () => {
    expect(render('{.a[*]}', { a: [0, -0.5, 1e20, 1e21, 1.5e-7, 0.0001, 0.00012, 0.000012] })).toBe(
      '0 -0.5 100000000000000000000 1e+21 1.5e-07 0.0001 0.00012 1.2e-05',
    );
  });

  it('makes texts of the object, not its own, fit for a terminal', () => {
    const template = parseTemplate('\u001b[1m{.a}{"\\n"}{.b}');
    const object = { a: '\u001b[2J', b: { c: '\u202e' } };
    expect(renderTemplate(template, object, (text) => text.replace('\u001b', '?'))).toBe(
      '\u001b[1m?[2J\n{"c":"\\u202e"}',
    );
  });
});
