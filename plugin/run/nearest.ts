// The word that a person probably meant.

/**
 * The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `word`, at most a third of
 * its length and at least one; undefined when none is that near. Upper and lower case are the same.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** Optimal string alignment distance. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const cost = at(above, column - 1) + (same ? 0 : 1);
      let best = Math.min(cost, at(above, column) + 1, at(line, column - 1) + 1);
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped && row > 1 && column > 1) best = Math.min(best, at(before, column - 2) + 1);
      line.push(best);
    }
    before = above;
    above = line;
  }
  return at(above, b.length);
}

function at(line: readonly number[], index: number): number {
  return line[index] ?? Number.POSITIVE_INFINITY;
}
