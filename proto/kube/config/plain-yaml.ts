// A reader for the YAML that kubectl and cluster installers write: block mappings, lists and one-line scalars.
// Loading and warming the full parser costs more than the rest of `usb list`; this one costs nothing. It is allowed
// to give up on anything, never to read something differently (property test against the full parser).

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** What the YAML 1.2 core schema reads as something else than text. */
const NOT_TEXT =
  /^(?:~|null|true|false|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-f]+|[-+]?(?:\.[0-9]+|[0-9]+\.?[0-9]*)(?:e[-+]?[0-9]+)?|[-+]?\.inf|\.nan)$/i;
/** Words with one space between them; none ends in a colon, which would make it a key. */
const PLAIN =
  /^(?:[A-Za-z0-9_./]|--?(?=[^\s-]))[A-Za-z0-9_./@+=,;~%&?*!()<>$^|:-]*(?<!:)(?: [A-Za-z0-9_./@+=,;~%&?*!()<>$^|:-]+(?<!:))*$/;
/** A key and what is on its line; `a:b` without a space is text and no entry. */
const ENTRY = /^([A-Za-z][A-Za-z0-9_./-]*):(?: (.+))?$/;

class NotPlain extends Error {}

function giveUp(): never {
  throw new NotPlain();
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const line of text.split('\n')) {
    const content = line.trimStart();
    if (content === '' || content.startsWith('#')) {
      // A tab or an odd space character may not be white space for YAML.
      if (/^ *(?:#[\x20-\x7e]*)?$/.test(line)) continue;
      giveUp();
    }
    lines.push({ indent: line.length - content.length, text: content });
    if (!/^ *[\x21-\x7e][\x20-\x7e]*$/.test(line)) giveUp();
  }
  return lines;
}

function scalarOf(text: string): unknown {
  if (text === '{}') return {};
  if (text === '[]') return [];
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted) return quoted[1];
  return PLAIN.test(text) && !NOT_TEXT.test(text) ? text : giveUp();
}

/** Recursive descent over whole lines: what a block belongs to is decided by its indent alone. */
class PlainReader {
  readonly #lines: Line[];
  #at = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  document(): unknown {
    const first = this.#lines[0] ?? giveUp();
    const value = this.#block(first.indent);
    return this.#at === this.#lines.length ? value : giveUp();
  }

  #block(indent: number): unknown {
    return this.#lines[this.#at]?.text.startsWith('- ') ? this.#list(indent) : this.#mapping(indent);
  }

  #mapping(indent: number): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (let line = this.#lines[this.#at]; line?.indent === indent; line = this.#lines[this.#at]) {
      const [, key, scalar] = ENTRY.exec(line.text) ?? giveUp();
      if (key === undefined || Object.hasOwn(values, key) || NOT_TEXT.test(key)) giveUp();
      this.#at++;
      values[key] = scalar === undefined ? this.#nested(indent) : scalarOf(scalar);
    }
    return values;
  }

  /** What follows `key:`. A list may stand at the indent of its key; nothing at all is null. */
  #nested(indent: number): unknown {
    const next = this.#lines[this.#at];
    if (next && next.indent > indent) return this.#block(next.indent);
    return next?.indent === indent && next.text.startsWith('- ') ? this.#list(indent) : null;
  }

  #list(indent: number): unknown[] {
    const values: unknown[] = [];
    for (let line = this.#lines[this.#at]; line?.indent === indent; line = this.#lines[this.#at]) {
      if (!line.text.startsWith('- ')) break;
      const rest = line.text.slice(2);
      if (ENTRY.test(rest)) {
        // A mapping begins right behind the dash: the same as a line of its own two columns further in.
        this.#lines[this.#at] = { indent: indent + 2, text: rest };
        values.push(this.#mapping(indent + 2));
      } else {
        this.#at++;
        values.push(scalarOf(rest));
      }
    }
    return values;
  }
}

/** The value of a plain document; undefined when it holds anything beyond the subset, right or wrong. */
export function readPlainYaml(text: string): unknown {
  try {
    return new PlainReader(linesOf(text)).document();
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}
