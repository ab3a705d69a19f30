// Time spans as kubectl prints them in AGE columns (k8s.io/apimachinery/pkg/util/duration, HumanDuration).

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Age of an RFC 3339 time. `now` in milliseconds since the epoch; a time that is missing or unreadable is unknown. */
export function ageSince(time: string | undefined, now: number): string {
  const then = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(then) ? '<unknown>' : humanDuration((now - then) / 1000);
}

/** Seconds as `119s`, `9m5s`, `179m`, `7h30m`, `47h`, `7d3h`, `729d`, `7y30d`, `9y`. */
export function humanDuration(span: number): string {
  const seconds = Math.trunc(span);
  if (seconds < -1) return '<invalid>';
  if (seconds < 2 * MINUTE) return `${Math.max(0, seconds)}s`;
  if (seconds < 10 * MINUTE) return two(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return one(seconds, MINUTE, 'm');
  if (seconds < 8 * HOUR) return two(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return one(seconds, HOUR, 'h');
  if (seconds < 8 * DAY) return two(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return one(seconds, DAY, 'd');
  if (seconds < 8 * YEAR) return two(seconds, YEAR, 'y', DAY, 'd');
  return one(seconds, YEAR, 'y');
}

function one(seconds: number, unit: number, letter: string): string {
  return `${Math.floor(seconds / unit)}${letter}`;
}

function two(seconds: number, unit: number, letter: string, small: number, smallLetter: string): string {
  const rest = Math.floor((seconds % unit) / small);
  return one(seconds, unit, letter) + (rest > 0 ? `${rest}${smallLetter}` : '');
}
