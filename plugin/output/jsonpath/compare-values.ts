// The comparisons of a filter. As in kubectl, values of two types have no order and are not even unequal.
import type { Operator } from './template.ts';
import { templateError } from './template-error.ts';
import { typeName } from './type-name.ts';

/** `at` is the place of the filter. Throws USAGE. Integers and fractions are one type here, unlike in Go. */
export function compareValues(left: unknown, operator: Operator, right: unknown, at: number): boolean {
  if (typeof left === 'string' && typeof right === 'string') return holds(left, operator, right);
  if (typeof left === 'number' && typeof right === 'number') return holds(left, operator, right);
  if (typeof left === 'boolean' && typeof right === 'boolean' && (operator === '==' || operator === '!=')) {
    return (left === right) === (operator === '==');
  }
  throw templateError(
    at,
    `${typeName(left)} ${operator} ${typeName(right)} cannot be compared`,
    'compare values of one type: a text is written in quotes, a number without',
  );
}

function holds<T extends string | number>(left: T, operator: Operator, right: T): boolean {
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}
