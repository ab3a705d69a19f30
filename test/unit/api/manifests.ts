// The manifests that are installed, parsed, for the tests that look into them.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const root = new URL('../../../', import.meta.url);

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string; labels?: Record<string, string> };
}

/** Text of a file, by its path from the root of the repository. */
export function repositoryText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** Every object of a file in node/deploy. */
export function deployed(file: string): Manifest[] {
  return parseAllDocuments(repositoryText(`node/deploy/${file}`)).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS();
  });
}

export function ofKind<T>(manifests: readonly Manifest[], kind: string): (Manifest & T)[] {
  return manifests.filter((one) => one.kind === kind) as (Manifest & T)[];
}

/** The only one of its kind in the file. */
export function only<T>(file: string, kind: string): Manifest & T {
  const [found, ...more] = ofKind<T>(deployed(file), kind);
  if (!found || more.length > 0) throw new Error(`${file} has not exactly one ${kind}`);
  return found;
}
