// `--sort-by`: an order by what a path finds in each object.
import { TypedError } from '../../proto/api/typed-error.ts';
import { evaluate } from './jsonpath/evaluate.ts';
import { parseRelaxedPath } from './jsonpath/relaxed-path.ts';

/** `objectOf` gives the object that the path is followed in. Throws USAGE when no item has what the path names. */
export type SortItems = <T>(items: readonly T[], objectOf: (item: T) => unknown) => T[];

/**
 * Numbers by size, texts by their characters, false before true; equal items stay in their order
 * and those without a value come last. Throws USAGE for a path that is none.
 */
export function sorterBy(expression: string): SortItems {
  const path = parseRelaxedPath(expression, '--sort-by');
  return (items, objectOf) => {
    const keyed = items.map((item) => ({ item, key: evaluate(path, objectOf(item))[0] }));
    if (keyed.length > 0 && keyed.every(({ key }) => key === undefined)) {
      throw new TypedError(
        'USAGE',
        `nothing has a field ${JSON.stringify(expression)} to sort by`,
        '-o json shows the fields there are',
      );
    }
    return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ item }) => item);
  };
}

function compareKeys(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  return rankOf(a) - rankOf(b);
}

/** Between types; kubectl gives up there. Maps and lists have no order of their own. */
function rankOf(key: unknown): number {
  if (key === undefined || key === null) return 5;
  if (typeof key === 'number') return 0;
  if (typeof key === 'string') return 1;
  if (typeof key === 'boolean') return key ? 3 : 2;
  return 4;
}
