// Keeps text that devices and servers chose from steering a terminal or hiding in it.

/**
 * Control characters (escape sequences), format characters (bidi overrides, zero-width ones, tags), line and paragraph
 * separators, and lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** For people: each unsafe character as `\x1b` or `\u{202e}`; the rest as it is. One line stays one line. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

/** For JSON text: unsafe characters inside its strings as `\uXXXX`, UTF-16 unit by unit, so the value stays the same. */
export function safeJson(document: string): string {
  return escapeStrings(document, (character) =>
    Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index), 4)}`).join(
      '',
    ),
  );
}

/** The same for double-quoted YAML scalars, which have no surrogate pairs but `\U` and eight digits. */
export function safeYaml(document: string): string {
  return escapeStrings(document, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

export function isUnsafe(text: string): boolean {
  return text.search(UNSAFE) >= 0;
}

/** Line breaks stay: in such documents they stand between the strings, never in one. */
function escapeStrings(document: string, escaped: (character: string) => string): string {
  return document.replace(UNSAFE, (character) => (character === '\n' ? character : escaped(character)));
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
