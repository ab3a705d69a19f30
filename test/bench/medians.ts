// Medians: on a shared machine one slow run must not decide.

/** NaN when there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((x, y) => x - y);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Median of first / second over pairs measured one right after the other, so that drift cancels out. */
export function medianRatio(pairs: readonly (readonly [first: number, second: number])[]): number {
  return median(pairs.map(([first, second]) => first / second));
}
