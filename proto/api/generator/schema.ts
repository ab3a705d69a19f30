// The part of JSON Schema that the files in schemas/ use, and reading them.
import { readFileSync } from 'node:fs';

export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** `file` is a name in schemas/, such as `condition.json`. Throws what reading and JSON.parse throw. */
export function readSchema(file: string): Schema {
  return JSON.parse(readFileSync(new URL(`../schemas/${file}`, import.meta.url), 'utf8'));
}
