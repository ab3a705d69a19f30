// What stands between the braces of a template: a path, perhaps behind `range` or `end`.
import type { Cursor } from './cursor.ts';
import { readBrackets, readFilter } from './parse-brackets.ts';
import { readQuoted } from './quoted-text.ts';
import type { Path, Step } from './template.ts';
import { templateError } from './template-error.ts';

export interface Action {
  readonly keyword?: 'range' | 'end';
  readonly path: Path;
}

/** Behind the opening brace, up to and with the closing one. Throws USAGE. */
export function readAction(cursor: Cursor): Action {
  const begin = cursor.at - 1;
  const path: Step[] = [];
  let keyword: Action['keyword'];
  while (!cursor.skip('}')) {
    const at = cursor.at;
    if (cursor.next === '' || cursor.match(/[\r\n]/y) !== '') {
      throw templateError(begin, 'this { has no }', 'close it on the same line');
    }
    // The current object: a path begins there anyway.
    if (cursor.match(/[ @$]/y) !== '') continue;
    const word = cursor.match(/[\p{L}_][^ \t\r\n.,[\]$@{}]*/uy);
    if (word === 'range' || word === 'end') keyword = word;
    else if (word !== '') path.push(literalOf(word, at));
    else path.push(...readStep(cursor, path.at(-1)));
  }
  return keyword ? { keyword, path } : { path };
}

function literalOf(word: string, at: number): Step {
  if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' };
  throw templateError(at, `"${word}" is no path`, `write .${word} for a field, "${word}" for a text`);
}

function readStep(cursor: Cursor, before: Step | undefined): Path {
  const at = cursor.at;
  if (cursor.skip('[?(')) return [readFilter(cursor, at)];
  if (cursor.skip('..')) return readDescent(cursor, at, before);
  if (cursor.skip('.')) return [readField(cursor)];
  if (cursor.skip('[')) return readBrackets(cursor, at);
  if (/["']/.test(cursor.next)) return [{ kind: 'literal', value: readQuoted(cursor) }];
  const number = cursor.match(/[+-]?[\d.]*/y);
  if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(number)) return [{ kind: 'literal', value: Number(number) }];
  if (number !== '') throw templateError(at, `"${number}" is no number`, 'write for example 12 or -1.5');
  throw templateError(
    at,
    `${JSON.stringify(cursor.next)} is not expected here`,
    'a path is made of .field, [index], [*], .. and [?(filter)]',
  );
}

/** `..name` needs no dot of its own. */
function readDescent(cursor: Cursor, at: number, before: Step | undefined): Step[] {
  if (before?.kind === 'descent')
    throw templateError(at, '.. stands behind another ..', 'one .. reaches every depth');
  const descent: Step = { kind: 'descent' };
  return /[\p{L}\p{N}_]/u.test(cursor.next) ? [descent, readField(cursor)] : [descent];
}

/** A backslash takes the meaning from what follows: `.labels.app\.kubernetes\.io/name`. */
function readField(cursor: Cursor): Step {
  const written = cursor.match(/(?:\\[\s\S]|[^ \t\r\n.,[\]$@{}\\])*/y);
  if (written === '*') return { kind: 'wildcard' };
  return { kind: 'field', name: written.replaceAll('\\', '') };
}
