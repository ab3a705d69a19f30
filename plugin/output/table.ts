// Tables as kubectl prints them: upper-case header, three spaces between columns, nothing behind the last one.
import { type Paint, paint } from './paint.ts';
import { cutToWidth, textWidth } from './text-width.ts';

export interface Cell {
  /** One line of safe text. */
  readonly text: string;
  readonly paint?: Paint;
}

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => Cell | string;
  /** On a terminal that is too narrow this column gives way, down to the width of its header. */
  readonly givesWay?: boolean;
}

/** Widths that later lines share with the first ones, so that a watch stays in columns. */
export interface Layout {
  readonly widths: readonly number[];
  /** On a terminal cells of columns that give way are cut to their width. */
  readonly cut: boolean;
  readonly colour: boolean;
}

const GAP = '   ';

/** `columns` is the width of the terminal, undefined in a pipe: there nothing is ever cut. */
export function layOut<Row>(
  table: readonly Column<Row>[],
  rows: readonly Row[],
  screen: { readonly columns?: number; readonly colour: boolean },
): Layout {
  const natural = table.map((column) =>
    Math.max(textWidth(column.header), ...rows.map((row) => textWidth(cellOf(column, row).text))),
  );
  const total = natural.reduce((sum, width) => sum + width, 0) + GAP.length * (table.length - 1);
  const excess = screen.columns === undefined ? 0 : Math.max(0, total - screen.columns);
  const widths = natural.map((width, index) => {
    const column = table[index];
    return column?.givesWay ? Math.max(textWidth(column.header), width - excess) : width;
  });
  return { widths, cut: screen.columns !== undefined, colour: screen.colour };
}

export function headerLine<Row>(table: readonly Column<Row>[], layout: Layout): string {
  return line(
    table.map((column) => ({ text: column.header })),
    layout,
  );
}

export function rowLine<Row>(table: readonly Column<Row>[], row: Row, layout: Layout): string {
  const cells = table.map((column, index) => {
    const cell = cellOf(column, row);
    const width = layout.widths[index] ?? 0;
    return layout.cut && column.givesWay ? { ...cell, text: cutToWidth(cell.text, width) } : cell;
  });
  return line(cells, layout);
}

function cellOf<Row>(column: Column<Row>, row: Row): Cell {
  const cell = column.cell(row);
  return typeof cell === 'string' ? { text: cell } : cell;
}

/** The padding stays outside of the colour, or some terminals paint it. */
function line(cells: readonly Cell[], { widths, colour }: Layout): string {
  const last = cells.length - 1;
  const parts = cells.map((cell, index) => {
    const padding = index === last ? 0 : Math.max(0, (widths[index] ?? 0) - textWidth(cell.text));
    return paint(cell.text, cell.paint, colour) + ' '.repeat(padding);
  });
  return `${parts.join(GAP)}\n`;
}
