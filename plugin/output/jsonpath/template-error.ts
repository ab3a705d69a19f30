// What is wrong with a template, and where.
import { TypedError } from '../../../proto/api/typed-error.ts';

/** `at` counts characters from 0; people count from 1. */
export function templateError(at: number, what: string, hint: string): TypedError {
  return new TypedError('USAGE', `the JSONPath template is wrong at character ${at + 1}: ${what}`, hint);
}
