// Globs: `*` stands for any run of characters, everything else for itself.

/**
 * Makes a test out of a pattern. Each piece between two stars is taken at the first place where it occurs, which is
 * never worse than a later place; so nothing is tried twice and the time grows with text plus pattern, whatever they are.
 */
export function glob(pattern: string): (text: string) => boolean {
  const pieces = pattern.split('*');
  const head = pieces[0] ?? '';
  const tail = pieces.at(-1) ?? '';
  const middle = pieces
    .slice(1, -1)
    .filter((piece) => piece !== '')
    .map(finder);
  if (pieces.length === 1) return (text) => text === pattern;
  return (text) => {
    const end = text.length - tail.length;
    if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const endOfFirst of middle) {
      at = endOfFirst(text, at, end);
      if (at < 0) return false;
    }
    return true;
  };
}

/**
 * Finds where the first occurrence of `piece` in text[from, end) ends; -1 when there is none. Knuth, Morris and Pratt's
 * algorithm, because the engine's indexOf takes the product of both lengths for a piece like `aaaab`.
 */
function finder(piece: string): (text: string, from: number, end: number) => number {
  const borders = bordersOf(piece);
  return (text, from, end) => {
    let matched = 0;
    for (let at = from; at < end; at++) {
      while (matched > 0 && text[at] !== piece[matched]) matched = borders[matched - 1] ?? 0;
      if (text[at] === piece[matched]) matched++;
      if (matched === piece.length) return at + 1;
    }
    return -1;
  };
}

/** For each beginning of the piece, the length of its longest proper end that is a beginning, too. */
function bordersOf(piece: string): number[] {
  const borders = [0];
  let length = 0;
  for (let at = 1; at < piece.length; at++) {
    while (length > 0 && piece[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (piece[at] === piece[length]) length++;
    borders.push(length);
  }
  return borders;
}
