// Tables and pages: columns, cuts and colours.
import { describe, expect, it } from 'vitest';
import { renderPage } from '../../../plugin/output/page.ts';
import { type Column, headerLine, layOut, rowLine } from '../../../plugin/output/table.ts';

interface Row {
  name: string;
  text: string;
}

const TABLE: Column<Row>[] = [
  { header: 'NAME', cell: ({ name }) => name },
  { header: 'TEXT', cell: ({ text }) => text, givesWay: true },
  { header: 'STATE', cell: () => ({ text: 'Ok', paint: 'green' }) },
];
const ROWS: Row[] = [
  { name: 'a', text: 'a text that is long' },
  { name: 'longer', text: '打印机' },
];

function lines(screen: { columns?: number; colour: boolean }, rows = ROWS): string[] {
  const layout = layOut(TABLE, ROWS, screen);
  return [headerLine(TABLE, layout), ...rows.map((row) => rowLine(TABLE, row, layout))];
}

describe('table', () => {
  it('aligns columns, East Asian text included, and puts nothing behind the last', () => {
    expect(lines({ colour: false })).toEqual([
      'NAME     TEXT                  STATE\n',
      'a        a text that is long   Ok\n',
      'longer   打印机                Ok\n',
    ]);
  });

  it('cuts only the column that gives way, and only as much as is needed', () => {
    expect(lines({ columns: 30, colour: false })).toEqual([
      'NAME     TEXT            STATE\n',
      'a        a text that …   Ok\n',
      'longer   打印机          Ok\n',
    ]);
  });

  it('never cuts below the header', () => {
    expect(lines({ columns: 5, colour: false })[1]).toBe('a        a t…   Ok\n');
  });

  it('does not cut when everything fits', () => {
    expect(lines({ columns: 36, colour: false })).toEqual(lines({ colour: false }));
  });

  it('lets a later longer row overflow in a pipe and cuts it on a terminal', () => {
    const late = [{ name: 'b', text: 'a text that came later and is longer' }];
    expect(lines({ colour: false }, late)[1]).toContain('and is longer   Ok');
    expect(lines({ columns: 200, colour: false }, late)[1]).toBe('b        a text that came l…   Ok\n');
  });

  it('colours the text and not the padding', () => {
    expect(lines({ colour: true })[1]).toBe('a        a text that is long   \u001b[32mOk\u001b[0m\n');
  });

  it('has the widths of the headers without rows', () => {
    const layout = layOut(TABLE, [], { colour: false });
    expect(headerLine(TABLE, layout)).toBe('NAME   TEXT   STATE\n');
  });
});

describe('renderPage', () => {
  it('aligns the values of each section and indents titled ones', () => {
    const page = renderPage([
      { lines: [['Name', 'x']] },
      {
        title: 'More',
        lines: [
          ['A', '1'],
          ['Longer', '2'],
          ['Empty', ''],
        ],
      },
    ]);
    expect(page).toBe('Name:  x\nMore:\n  A:       1\n  Longer:  2\n  Empty:\n');
  });

  it('leaves out what is not known', () => {
    expect(renderPage([{ title: 'None', lines: [['A', undefined]] }])).toBe('');
  });
});
