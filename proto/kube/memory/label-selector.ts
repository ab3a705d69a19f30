// Label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
import { badRequest } from './api-failure.ts';

export type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly matches: (value: string | undefined) => boolean;
}

const KEY = '([A-Za-z0-9][\\w./-]*)';
const SET = new RegExp(`^${KEY}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EQUALITY = new RegExp(`^${KEY}\\s*(==|=|!=)\\s*([\\w.-]*)$`);
const EXISTENCE = new RegExp(`^(!?)\\s*${KEY}$`);

/** All parts must hold; '' selects everything. Throws 400 for text that is no selector. */
export function parseLabelSelector(text: string): (labels?: Labels) => boolean {
  const requirements = text.trim() === '' ? [] : splitOutsideParentheses(text).map(parseRequirement);
  return (labels = {}) =>
    requirements.every(({ key, matches }) => matches(Object.hasOwn(labels, key) ? labels[key] : undefined));
}

function splitOutsideParentheses(text: string): string[] {
  return text.split(/,(?![^(]*\))/).map((part) => part.trim());
}

function parseRequirement(text: string): Requirement {
  const set = SET.exec(text);
  if (set) {
    const values = new Set((set[3] ?? '').split(',').map((value) => value.trim()));
    const wanted = set[2] === 'in';
    // An object without the label is chosen by notin and !=.
    return {
      key: set[1] ?? '',
      matches: (value) => (value !== undefined && values.has(value)) === wanted,
    };
  }
  const equality = EQUALITY.exec(text);
  if (equality) {
    const wanted = equality[2] !== '!=';
    return { key: equality[1] ?? '', matches: (value) => (value === equality[3]) === wanted };
  }
  const existence = EXISTENCE.exec(text);
  if (existence) {
    const wanted = existence[1] === '';
    return { key: existence[2] ?? '', matches: (value) => (value !== undefined) === wanted };
  }
  throw badRequest(`unable to parse requirement: ${JSON.stringify(text)}`);
}
