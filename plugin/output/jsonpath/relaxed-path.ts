// The short form of paths in `--sort-by` and custom columns: braces and the first dot may be left out.
import { TypedError } from '../../../proto/api/typed-error.ts';
import { Cursor } from './cursor.ts';
import { readAction } from './parse-path.ts';
import type { Path } from './template.ts';

/** `name`, `.name`, `{name}`, `{.name}`: as RelaxedJSONPathExpression of kubectl. `of` names it in errors (USAGE). */
export function parseRelaxedPath(text: string, of: string): Path {
  const [, braced, bare] = /^(?:\{\.?([^{}]+)\}|\.?([^{}]+))$/s.exec(text) ?? [];
  const inside = braced ?? bare;
  if (inside === undefined) {
    throw new TypedError(
      'USAGE',
      `${of} has no path: ${JSON.stringify(text)}`,
      'write for example .metadata.name',
    );
  }
  const begin = text.indexOf(inside) - 1;
  return readAction(new Cursor(`.${inside}}`, begin)).path;
}
