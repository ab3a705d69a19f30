// What stands between brackets in a path: an index, a slice, a quoted key, a union of such, or a filter.
import { Cursor } from './cursor.ts';
import { readAction } from './parse-path.ts';
import { OPERATORS, type Operator, type Path, type Step } from './template.ts';
import { templateError } from './template-error.ts';

const INDEX_FORMS = "write for example [0], [-1], [1:3], [*], ['a key'] or [0,2]";

/** Behind the opening bracket, up to and with the first closing one: a key cannot hold `]`. */
export function readBrackets(cursor: Cursor, at: number): Path {
  const inside = cursor.match(/[^\]\n]*/y);
  if (!cursor.skip(']')) throw templateError(at, 'this [ has no ]', 'close it on the same line');
  return bracketSteps(inside, at);
}

/** `at` is the place of the bracket. Every comma is a separator, in quotes too. */
function bracketSteps(inside: string, at: number): Path {
  if (!inside.includes(',')) return keySteps(inside, at);
  let begin = at;
  const paths = inside.split(',').map((member) => {
    const path = keySteps(member.trim(), begin);
    begin += member.length + 1;
    return path;
  });
  return [{ kind: 'union', paths }];
}

function keySteps(inside: string, at: number): Path {
  const key = /^'([^']*)'$/.exec(inside)?.[1];
  // A quoted key is a path of its own for kubectl: dots in it need backslashes all the same.
  if (key !== undefined) return subPath(`.${key}`, at + 1);
  if (inside === '*') return [sliceOf('', ':', '', at)];
  const [written, from = '', to = '', step = ''] =
    /^(-?\d+)?(:(?:-?\d+)?)?(:(?:-?\d+)?)?$/.exec(inside) ?? [];
  if (written === undefined)
    throw templateError(at + 1, `${JSON.stringify(inside)} is no index`, INDEX_FORMS);
  return [sliceOf(from, to, step, at)];
}

/** `[]` is the first element, as kubectl has it. */
function sliceOf(from: string, to: string, step: string, at: number): Step {
  const first = Number(from);
  const stride = step.length > 1 ? Number(step.slice(1)) : 1;
  if (stride <= 0) throw templateError(at + 1, `the step of a slice is ${stride}`, 'it is 1 or more');
  const end = to === '' ? first + 1 : to === ':' ? undefined : Number(to.slice(1));
  const bounds = { from: first, step: stride, single: to === '' };
  return { kind: 'slice', bounds: end === undefined ? bounds : { ...bounds, to: end }, at };
}

/** Behind `[?(`. A parenthesis in quotes does not end it. */
export function readFilter(cursor: Cursor, at: number): Step {
  const begin = cursor.at;
  const written = cursor.match(/(?:[^)"'\n]|(["'])(?:\\[^\n]|(?!\1)[^\\\n])*\1)*/y);
  if (!cursor.skip(')]')) throw templateError(at, 'this [?( has no )]', 'close it on the same line');
  const [, left = written, operator, right = ''] = /^([^!<>=]+)([!<>=]+)(.+)$/.exec(written) ?? [];
  if (operator === undefined) return { kind: 'filter', left: subPath(written, begin), at };
  if (!isOperator(operator)) {
    throw templateError(
      begin + left.length,
      `${operator} compares nothing`,
      `it is one of: ${OPERATORS.join(', ')}`,
    );
  }
  const test = { operator, right: subPath(right, begin + left.length + operator.length) };
  return { kind: 'filter', left: subPath(left, begin), test, at };
}

function isOperator(text: string): text is Operator {
  return OPERATORS.some((operator) => operator === text);
}

/** `at` is where `text` begins in the whole. */
function subPath(text: string, at: number): Path {
  return readAction(new Cursor(`${text}}`, at)).path;
}
