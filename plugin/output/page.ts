// Pages as `kubectl describe` prints them: labels on the left, values in a column, sections indented.
import { textWidth } from './text-width.ts';

/** Label and one line of safe text; lines whose value is undefined are left out. */
export type PageLine = readonly [label: string, value: string | undefined];

export interface Section {
  /** Without a title the lines stand at the left edge. */
  readonly title?: string;
  readonly lines: readonly PageLine[];
}

/** Values of a section start in one column; a section without lines is left out. */
export function renderPage(sections: readonly Section[]): string {
  return sections.map(renderSection).join('');
}

function renderSection({ title, lines }: Section): string {
  const shown = lines.filter((line): line is readonly [string, string] => line[1] !== undefined);
  if (shown.length === 0) return '';
  const indent = title === undefined ? '' : '  ';
  const width = Math.max(...shown.map(([label]) => textWidth(label)));
  const body = shown.map(([label, value]) => {
    const gap = ' '.repeat(width - textWidth(label) + 2);
    return `${indent}${label}:${gap}${value}`.trimEnd();
  });
  return `${[...(title === undefined ? [] : [`${title}:`]), ...body].join('\n')}\n`;
}
