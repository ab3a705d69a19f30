// From the text of a template to its parts. The grammar is that of k8s.io/client-go/util/jsonpath/parser.go, with its
// peculiarities: text outside of braces is printed as it is, and what follows a range that is not ended is printed once more
// for the object outside of it.
import { Cursor } from './cursor.ts';
import { readAction } from './parse-path.ts';
import type { Part, Path, Template } from './template.ts';
import { templateError } from './template-error.ts';

/** Throws USAGE with the place of the mistake. */
export function parseTemplate(text: string): Template {
  return readParts(new Cursor(text), 0).parts;
}

interface Block {
  readonly parts: Part[];
  /** By `{end}` instead of the end of the text. */
  readonly ended: boolean;
}

function readParts(cursor: Cursor, depth: number): Block {
  const parts: Part[] = [];
  while (cursor.next !== '') {
    const text = cursor.match(/[^{]+/y);
    if (text !== '') parts.push({ kind: 'text', text });
    const at = cursor.at;
    if (!cursor.skip('{')) continue;
    const { keyword, path } = readAction(cursor);
    if (keyword === 'range') parts.push(...rangeOf(path, readParts(cursor, depth + 1)));
    else if (keyword === undefined) parts.push({ kind: 'path', path });
    else if (depth > 0) return { parts, ended: true };
    else throw templateError(at, '{end} without a {range}', 'remove it, or begin with {range .items[*]}');
  }
  return { parts, ended: false };
}

function rangeOf(path: Path, { parts, ended }: Block): Part[] {
  const range: Part = { kind: 'range', path, body: parts };
  return ended ? [range] : [range, ...parts];
}
