// How long to wait after a failure: growing, bounded, and spread so that nodes do not come back all at once.

export interface BackoffLimits {
  /** Milliseconds after the first failure. */
  readonly first: number;
  readonly longest: number;
}

/**
 * Milliseconds to wait after `failures` (>= 1) failures in a row: `first` doubled each time up to `longest`, of which
 * `random` (0..1) takes away up to half.
 */
export function backoffDelay(failures: number, random: number, { first, longest }: BackoffLimits): number {
  const full = Math.min(longest, first * 2 ** (failures - 1));
  return full / 2 + (full / 2) * random;
}
