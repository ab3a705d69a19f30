// Objects as JSON or YAML for programs: complete, in kubectl's layout, and harmless on a terminal.
import { isUnsafe, safeJson, safeYaml } from './safe-text.ts';

export type DocumentFormat = 'json' | 'yaml';

/** Ends in a line break. Reads back as the same value. */
export async function formatDocument(value: unknown, format: DocumentFormat): Promise<string> {
  return format === 'json' ? safeJson(`${JSON.stringify(value, null, 4)}\n`) : yamlText(value);
}

async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  // Readers of YAML 1.1 (Python, older Go) take unquoted `on`, `1:20` and times for something else than text.
  const document = new Document(value, { aliasDuplicateObjects: false, schema: 'yaml-1.1' });
  // Only a double-quoted scalar can hold an escape.
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && isUnsafe(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return safeYaml(document.toString({ lineWidth: 0, indentSeq: false }));
}
