// How long to wait before a call that the server put off (429) is made again.

/** No single wait is longer, whatever the server asks for (milliseconds). */
export const LONGEST_WAIT = 5_000;

/**
 * Milliseconds from the Retry-After header (RFC 9110: seconds or a date), between 0 and LONGEST_WAIT; one second
 * when the header is missing or cannot be read, which is what the API server itself sends.
 */
export function retryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? 1000 : Math.min(LONGEST_WAIT, Math.max(0, wait));
}
