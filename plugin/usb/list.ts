// kubectl virt usb list.
import { TypedError } from '../../proto/api/typed-error.ts';
import { formatDocument } from '../output/document.ts';
import { headerLine, layOut, rowLine } from '../output/table.ts';
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { type DeviceRow, joinDevices } from './device-row.ts';
import type { UsbFacts } from './facts.ts';
import { deviceKey } from './hold.ts';
import { concerns } from './namespace-filter.ts';
import { factsOf, readFacts, type UsbCollections } from './read-facts.ts';
import { tableColumns, wideColumns } from './row-columns.ts';
import { shortNames } from './short-name.ts';
import { statusList } from './status-list.ts';

/** Rows go to stdout and sentences to stderr, so that a pipe gets nothing but rows. */
export async function listDevices(args: Arguments, host: Host): Promise<number> {
  const format = args.text('output') ?? 'table';
  const namespace = args.isOn('all-namespaces') ? undefined : args.text('namespace');
  const watch = args.isOn('watch');
  if (watch && (format === 'json' || format === 'yaml')) {
    throw new TypedError(
      'USAGE',
      `--watch cannot print ${format}`,
      'use -o table, wide or name with --watch',
    );
  }
  const kube = await host.connect(args);
  try {
    const collections = await readFacts(kube, namespace);
    for (const note of collections.notes) host.stderr.write(`note: ${note}\n`);
    const rowsOf = (facts: UsbFacts) =>
      joinDevices(facts, host.now()).filter((row) => namespace === undefined || concerns(row, namespace));
    const rows = rowsOf(factsOf(collections));
    if (format === 'json' || format === 'yaml') {
      const keys = new Set(rows.map(({ node, name }) => deviceKey(node, name)));
      host.stdout.write(await formatDocument(statusList(collections.statuses.items, keys), format));
      return 0;
    }
    // A watch may begin empty, and its first line needs a header all the same.
    const withHeader = !args.isOn('no-headers') && (rows.length > 0 || watch);
    if (rows.length === 0) host.stderr.write(nothingFound(collections, namespace));
    const lines = linesOf(format, rows, withHeader, host);
    host.stdout.write(lines.start + rows.map(lines.line).join(''));
    if (!watch) return 0;
    const { watchDevices } = await import('./watch.ts');
    await watchDevices(kube, collections, { printed: rows, rowsOf, lineOf: lines.line }, host);
    return 0;
  } finally {
    kube.close();
  }
}

interface Lines {
  readonly start: string;
  readonly line: (row: DeviceRow) => string;
}

/** How rows become lines; the widths stay those of the first rows. */
function linesOf(format: string, rows: readonly DeviceRow[], withHeader: boolean, host: Host): Lines {
  if (format === 'name') return { start: '', line: ({ name }) => `${name}\n` };
  const { stdout } = host;
  // What a program reads must be the name that the API knows; a person's screen is too narrow for 44 columns of it.
  const short = stdout.isTerminal ? shortNames(rows.map(({ name }) => name)) : (name: string) => name;
  // Made anew for each line: SINCE counts from the moment of printing.
  const columns = () =>
    format === 'wide' ? wideColumns(host.now()) : tableColumns(({ name }) => short(name), host.now());
  const screen = { colour: stdout.colour, ...(stdout.isTerminal ? { columns: stdout.columns } : {}) };
  const layout = layOut(columns(), rows, screen);
  const start = withHeader ? headerLine(columns(), layout) : '';
  return { start, line: (row) => rowLine(columns(), row, layout) };
}

/** An empty cluster and a cluster without agents look the same in a table; they are not. */
function nothingFound({ statuses }: UsbCollections, namespace: string | undefined): string {
  if (statuses.items.length === 0)
    return 'No USB devices found: no node has reported any; is virt-node installed?\n';
  return namespace === undefined
    ? 'No USB devices found\n'
    : `No USB devices found for namespace ${namespace}\n`;
}
