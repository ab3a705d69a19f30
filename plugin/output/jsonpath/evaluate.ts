// What a path finds in an object: k8s.io/client-go/util/jsonpath with missing keys allowed, as kubectl sets it.
import { compareValues } from './compare-values.ts';
import type { Bounds, Path, Step } from './template.ts';
import { templateError } from './template-error.ts';
import { typeName } from './type-name.ts';

/** Results in order; members of maps come by their names. Throws USAGE for what the object has no place for. */
export function evaluate(path: Path, object: unknown): unknown[] {
  return walk(path, [object]);
}

function walk(path: Path, start: unknown[]): unknown[] {
  return path.reduce<unknown[]>((values, step) => follow(step, values), start);
}

function follow(step: Step, values: unknown[]): unknown[] {
  switch (step.kind) {
    case 'literal':
      // A text stands for itself; numbers and booleans are given once for each value, as in the original.
      return typeof step.value === 'string' ? [step.value] : values.map(() => step.value);
    case 'field':
      return values.flatMap((value) => fieldOf(value, step.name));
    case 'wildcard':
      return values.flatMap(membersOf);
    case 'descent':
      return values.flatMap(nestedIn);
    case 'slice':
      return values.filter(isThere).flatMap((value) => slice(listAt(value, step.at), step.bounds, step.at));
    case 'union':
      return step.paths.flatMap((path) => walk(path, values));
    case 'filter':
      return values.flatMap((value) => listAt(value, step.at).filter((element) => passes(step, element)));
  }
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function fieldOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  return member === undefined ? [] : [member];
}

function membersOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, member]: [string, unknown]) => member);
}

function nestedIn(value: unknown): unknown[] {
  const members = membersOf(value);
  return members.length === 0 ? [] : [value, ...members.flatMap(nestedIn)];
}

function listAt(value: unknown, at: number): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw templateError(
    at,
    `there is ${typeName(value)} here and no list`,
    'indexes and filters are for lists; a field is .field',
  );
}

/** Unlike slices of JavaScript, ends beyond the list are mistakes. */
function slice(list: readonly unknown[], bounds: Bounds, at: number): unknown[] {
  const { length } = list;
  const from = bounds.from < 0 ? bounds.from + length : bounds.from;
  const to = endOf(bounds, length);
  if (from === to) return [];
  if (from < 0 || from >= length || to < 0 || to > length) {
    const index = from < 0 || from >= length ? bounds.from : (bounds.to ?? length);
    throw templateError(
      at,
      `there is no ${index} in a list of ${length}`,
      'a slice [0:] or [*] takes what there is',
    );
  }
  if (from > to)
    throw templateError(at, `the slice ends (${to}) before it begins (${from})`, 'swap its ends');
  return list.slice(from, to).filter((_, index) => index % bounds.step === 0);
}

/** The end of `[-1]` is 0, which means the end of the list there and the beginning in `[0:0]`. */
function endOf({ to, single }: Bounds, length: number): number {
  if (to === undefined) return length;
  return to < 0 || (to === 0 && single) ? to + length : to;
}

function passes({ left, test, at }: Extract<Step, { kind: 'filter' }>, element: unknown): boolean {
  const lefts = evaluate(left, element);
  if (!test) return lefts.length > 0;
  if (lefts.length === 0) return false;
  const rights = evaluate(test.right, element);
  if (rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1) {
    throw templateError(
      at,
      'a filter compares one value with one value',
      'use an index instead of * or a slice',
    );
  }
  return compareValues(lefts[0], test.operator, rights[0], at);
}
