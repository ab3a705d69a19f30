// Quoted texts in a template, with the escapes of Go (strconv.UnquoteChar).
import type { Cursor } from './cursor.ts';
import { templateError } from './template-error.ts';

const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;

/** At the opening quote, up to and with the closing one; either kind of quotes. Throws USAGE. */
export function readQuoted(cursor: Cursor): string {
  const at = cursor.at;
  const quote = cursor.take();
  const written = cursor.match(quote === '"' ? /(?:\\.|[^"\\\r\n])*/y : /(?:\\.|[^'\\\r\n])*/y);
  if (!cursor.skip(quote))
    throw templateError(at, 'this quote is not closed', `end the text with ${quote} on the same line`);
  return written.replace(ESCAPE, (...found) => {
    const [sequence, hex2, hex4, hex8, octal, letter] = found.slice(0, 6).map((group) => group?.toString());
    const code = hex2 ?? hex4 ?? hex8;
    if (code !== undefined || octal !== undefined) {
      const point = code === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(code, 16);
      if (point <= 0x10ffff) return String.fromCodePoint(point);
    }
    const meant = letter === quote ? quote : LETTERS[letter ?? ''];
    if (meant !== undefined) return meant;
    throw templateError(
      at + 1 + Number(found[6]),
      `${sequence} is no escape`,
      `write \\\\ for a backslash; others are \\n, \\t, \\${quote}, \\x41, \\u0041`,
    );
  });
}
