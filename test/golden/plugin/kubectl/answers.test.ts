// Templates, columns and orders mean what they mean to kubectl: its recorded answers (see record.ts) against ours.
import { describe, expect, it } from 'vitest';
import { parseColumns } from '../../../../plugin/output/custom-columns.ts';
import { parseTemplate } from '../../../../plugin/output/jsonpath/parse-template.ts';
import { renderTemplate } from '../../../../plugin/output/jsonpath/render-template.ts';
import { sorterBy } from '../../../../plugin/output/sort-by.ts';
import { headerLine, layOut, rowLine } from '../../../../plugin/output/table.ts';
import { codeOf } from '../../../unit/plugin/code-of.ts';
import answers from './answers.json' with { type: 'json' };
import { listOf, OBJECTS } from './objects.ts';
import { COLUMNS, ORDERS, TEMPLATES } from './questions.ts';

/** Where we differ: what has no value comes last, and a column without a path is a mistake. */
const OURS: Readonly<Record<string, string | null>> = {
  '.metadata.labels.zone': 'node-2 node-10 Node-3',
  'NAME:': null,
};

function expectAnswer(theirs: string | null, ours: () => string): void {
  if (theirs === null) expect(codeOf(ours)).toBe('USAGE');
  else expect(ours()).toBe(theirs);
}

function rendered(template: string): string {
  return renderTemplate(parseTemplate(template), listOf(OBJECTS), (text) => text);
}

/** Cells by line: kubectl makes columns at least six wide, we do not. */
function cellsOf(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

function table(spec: string): string {
  const columns = parseColumns(spec);
  const layout = layOut(columns, OBJECTS, { colour: false });
  return headerLine(columns, layout) + OBJECTS.map((object) => rowLine(columns, object, layout)).join('');
}

describe('like kubectl', () => {
  it('is asked every question', () => {
    expect(Object.keys(answers.templates)).toEqual(TEMPLATES);
    expect(Object.keys(answers.columns)).toEqual(COLUMNS);
    expect(Object.keys(answers.orders)).toEqual(ORDERS);
  });

  it.each(Object.entries(answers.templates))('-o jsonpath=%s', (template, theirs) => {
    expectAnswer(theirs, () => rendered(template));
  });

  it.each(Object.entries(answers.columns))('-o custom-columns=%s', (spec, theirs) => {
    const expected = Object.hasOwn(OURS, spec) ? null : theirs;
    if (expected === null) expect(codeOf(() => table(spec))).toBe('USAGE');
    else expect(cellsOf(table(spec))).toEqual(cellsOf(expected));
  });

  it.each(Object.entries(answers.orders))('--sort-by=%s', (order, theirs) => {
    const ours = () =>
      sorterBy(order)(OBJECTS, (object) => object)
        .map(({ metadata }) => metadata.name)
        .join(' ');
    const expected =
      OURS[order] ??
      theirs
        ?.trimEnd()
        .replace(/node\//g, '')
        .split('\n')
        .join(' ') ??
      null;
    expectAnswer(expected, ours);
  });
});
