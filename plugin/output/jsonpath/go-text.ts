// Values as Go writes them: fmt.Sprint for texts, json.Marshal for maps and lists.

/** fmt.Sprint of decoded JSON: `map[a:1 b:[x y]]`, `<nil>`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value === 'object') {
    return `map[${sortedEntries(value)
      .map(([key, member]) => `${key}:${goText(member)}`)
      .join(' ')}]`;
  }
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** json.Marshal: names in order, nothing between the tokens, and no characters that HTML would read. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${sortedEntries(value)
      .map(([key, member]) => `${goJson(key)}:${goJson(member)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value ?? null).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Go takes an exponent below 1e-4 and from 1e21 on, with two digits at least; JavaScript below 1e-6. */
function goNumber(value: number): string {
  const size = Math.abs(value);
  const text = size !== 0 && size < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
