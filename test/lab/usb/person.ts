// What a person types: the real kubectl, which finds the plugin on the search path.
import { dirname } from 'node:path';
import type { Cluster } from '../cluster.ts';
import { attempt, type CommandResult } from '../command.ts';
import { CHECKOUT } from '../guest-files.ts';

/** `kubectl virt ...` as the admin of the lab; the exit code is not judged. */
export function virt(cluster: Cluster, ...args: string[]): Promise<CommandResult> {
  return attempt(cluster.kubectlProgram, ['virt', ...args], {
    env: {
      ...process.env,
      KUBECONFIG: cluster.kubeconfig,
      NO_COLOR: '1',
      PATH: [`${CHECKOUT}/dist`, dirname(process.execPath), process.env.PATH].join(':'),
    },
  });
}

/** The table of `kubectl virt usb list` as rows of named cells; columns begin where their headings do. */
export async function listRows(cluster: Cluster, ...args: string[]): Promise<Record<string, string>[]> {
  const { code, out, err } = await virt(cluster, 'usb', 'list', ...args);
  if (code !== 0) throw new Error(`usb list ended with ${code}: ${err}`);
  const [head = '', ...lines] = out.split('\n').filter((line) => line !== '');
  const columns = [...head.matchAll(/\S+(?: \S+)*/g)].map((match) => ({ name: match[0], at: match.index }));
  return lines.map((line) =>
    Object.fromEntries(columns.map(({ name, at }, i) => [name, line.slice(at, columns[i + 1]?.at).trim()])),
  );
}
