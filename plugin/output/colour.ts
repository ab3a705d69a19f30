// Whether a stream gets colours: FORCE_COLOR, then NO_COLOR (no-color.org), then TERM, then what the stream is.

/** FORCE_COLOR wins over NO_COLOR as in Node itself; `0` and `false` turn colours off. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return isTerminal && env.TERM !== 'dumb';
}
