// What `-o` asks for. It is read before the cluster is asked, so that a mistake in a template costs no request.
import { TypedError } from '../../proto/api/typed-error.ts';
import { formatDocument } from './document.ts';
import { safeText } from './safe-text.ts';
import type { Column } from './table.ts';

export type Format =
  /** `table`, `wide`, `name`: made of rows by the command itself. */
  | { readonly kind: 'rows'; readonly name: string }
  /** `json`, `yaml`, `jsonpath`: made of the API objects as a whole. */
  | { readonly kind: 'document'; readonly name: string; readonly print: (object: unknown) => Promise<string> }
  /** `custom-columns`: cells of one object each. */
  | { readonly kind: 'columns'; readonly columns: readonly Column<unknown>[] };

/** Where a format is printed, and where its file is. A file that cannot be read rejects with USAGE. */
export interface FormatPlace {
  readonly stdout: { readonly isTerminal: boolean };
  readFile(path: string): Promise<string>;
}

/** `text` is one of the choices of the command. Rejects with USAGE. */
export async function readFormat(text: string, place: FormatPlace): Promise<Format> {
  if (text === 'json' || text === 'yaml') {
    return { kind: 'document', name: text, print: (object) => formatDocument(object, text) };
  }
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) return { kind: 'rows', name: text };
  if (value === '')
    throw new TypedError('USAGE', `-o ${text} says nothing`, `write its ${name} behind the =`);
  const given = name.endsWith('-file') ? await place.readFile(value) : value;
  return name.startsWith('jsonpath')
    ? templateFormat(given, place.stdout.isTerminal)
    : columnsFormat(given, name.endsWith('-file'));
}

/** Programs get texts as they are; on a terminal those of a device could steer it. */
async function templateFormat(text: string, isTerminal: boolean): Promise<Format> {
  const { parseTemplate } = await import('./jsonpath/parse-template.ts');
  const { renderTemplate } = await import('./jsonpath/render-template.ts');
  const template = parseTemplate(text);
  const show = isTerminal ? safeText : (value: string) => value;
  return {
    kind: 'document',
    name: 'jsonpath',
    print: async (object) => renderTemplate(template, object, show),
  };
}

async function columnsFormat(text: string, isFile: boolean): Promise<Format> {
  const { parseColumns, parseColumnsFile } = await import('./custom-columns.ts');
  return { kind: 'columns', columns: isFile ? parseColumnsFile(text) : parseColumns(text) };
}
