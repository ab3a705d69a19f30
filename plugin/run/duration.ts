// Durations as kubectl takes them in flags: Go's, e.g. `10s`, `1m30s`, `500ms`; a bare number counts seconds.
import { TypedError } from '../../proto/api/typed-error.ts';

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds, 0 for `0`. Throws USAGE that names the flag. */
export function parseDuration(flag: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // What the parts leave over is not a duration: `10 s`, `1d`, `-1s`.
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new TypedError(
      'USAGE',
      `--${flag} cannot be ${JSON.stringify(text)}`,
      'it is a number with a unit, e.g. 10s, 2m, 1h; 0 for no limit',
    );
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (MILLISECONDS[unit ?? ''] ?? 0), 0);
}
