// Times of repeated runs, and how they are printed.

/** Value below which the part `q` of the values lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((x, y) => x - y);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** `plug -> listed: p50 120 ms, p95 180 ms (10 runs)`. */
export function summary(what: string, times: readonly number[]): string {
  const ms = (q: number) => `${Math.round(quantile(times, q))} ms`;
  return `${what}: p50 ${ms(0.5)}, p95 ${ms(0.95)} (${times.length} runs)`;
}
