// Several kubeconfigs as one: names to entries, not decoded yet.
import { TypedError } from '../../api/typed-error.ts';
import type { Section } from './section.ts';

/** `body` holds relative paths against `file`, an absolute path. */
export interface Entry {
  readonly body: Section;
  readonly file: string;
}

export interface MergedKubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

export interface KubeconfigFile {
  readonly path: string;
  readonly root: Section;
}

function entriesOf({ path, root }: KubeconfigFile, list: string, member: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const named of root.sections(list)) {
    const name = named.text('name');
    if (entries.has(name)) {
      throw new TypedError(
        'BAD_KUBECONFIG',
        `${path} has two ${list} named ${JSON.stringify(name)}`,
        'rename or remove one of them',
      );
    }
    const body = named.section(member, `${member} ${JSON.stringify(name)} of ${path}`);
    entries.set(name, { body, file: path });
  }
  return entries;
}

/** The first file that has a name, or a current context, wins; whole entries, no field of another file mixes in. */
export function mergeKubeconfigs(files: readonly KubeconfigFile[]): MergedKubeconfig {
  const merged = (list: string, member: string) =>
    new Map(files.toReversed().flatMap((file) => [...entriesOf(file, list, member)]));
  return {
    currentContext: files.map(({ root }) => root.text('current-context')).find((name) => name !== '') ?? '',
    clusters: merged('clusters', 'cluster'),
    contexts: merged('contexts', 'context'),
    users: merged('users', 'user'),
  };
}
