// The text of a kubeconfig as plain data: JSON, plain YAML, and only then the full YAML parser.
import { TypedError } from '../../api/typed-error.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { Section } from './section.ts';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // YAML's flow style begins with a brace as well
  }
}

async function parseYaml(text: string, file: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { version: '1.2', schema: 'core' });
  const [error] = document.errors;
  if (!error) return document.toJS();
  // The rest of the message quotes the line, which may hold a secret.
  const what = error.message.split(/ at line |\n/, 1)[0];
  throw new TypedError(
    'BAD_KUBECONFIG',
    `${file}, line ${error.linePos?.[0].line ?? 1}: ${what}`,
    'correct the YAML of this file',
  );
}

/**
 * From cheap to dear: JSON is native, plain YAML costs a millisecond, the full parser tens of them, of which most is
 * loading and warming its code. Throws BAD_KUBECONFIG with file and line for garbled text.
 * An empty file is an empty kubeconfig.
 */
export async function parseKubeconfig(text: string, file: string): Promise<Section> {
  const json = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
  return new Section(json ?? readPlainYaml(text) ?? (await parseYaml(text, file)), file);
}
