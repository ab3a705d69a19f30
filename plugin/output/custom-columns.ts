// `-o custom-columns=`: a table whose cells are what paths find in an object.
import { TypedError } from '../../proto/api/typed-error.ts';
import { evaluate } from './jsonpath/evaluate.ts';
import { goText } from './jsonpath/go-text.ts';
import { parseRelaxedPath } from './jsonpath/relaxed-path.ts';
import { safeText } from './safe-text.ts';
import type { Column } from './table.ts';

/** `NAME:.metadata.name,...`; as in kubectl a path cannot hold a comma. Throws USAGE. */
export function parseColumns(spec: string): Column<unknown>[] {
  return spec.split(',').map((one) => {
    const [, header, path] = /^([^:]*):(.*)$/s.exec(one) ?? [];
    if (header !== undefined && path !== undefined) return columnOf(header, path);
    throw new TypedError(
      'USAGE',
      `${JSON.stringify(one)} is no column`,
      'write -o custom-columns=HEADER:.path,...; a path with a comma goes into a custom-columns-file',
    );
  });
}

/** A line of headers and a line of paths, both separated by white space. Throws USAGE. */
export function parseColumnsFile(text: string): Column<unknown>[] {
  const [headers, paths] = text.split('\n').map((line) => line.trim().split(/\s+/).filter(Boolean));
  if (headers && paths && headers.length > 0 && headers.length === paths.length) {
    return headers.map((header, index) => columnOf(header, paths[index] ?? ''));
  }
  throw new TypedError(
    'USAGE',
    `the file of custom columns has ${headers?.length ?? 0} headers and ${paths?.length ?? 0} paths`,
    'its first line has the headers, its second as many paths',
  );
}

/** Several results stand in one cell with commas; `<none>` means that there is none. */
function columnOf(header: string, text: string): Column<unknown> {
  const path = parseRelaxedPath(text, `column ${header}`);
  return {
    header: safeText(header),
    cell: (object) =>
      evaluate(path, object)
        .map((value) => safeText(goText(value)))
        .join(',') || '<none>',
  };
}
