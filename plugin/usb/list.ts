// kubectl virt usb list.
import type { UsbNodeStatus } from '../../proto/api/gen/usb-node-status.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import { type Format, readFormat } from '../output/format.ts';
import type { SortItems } from '../output/sort-by.ts';
import { type Column, headerLine, layOut, rowLine } from '../output/table.ts';
import type { Arguments } from '../run/arguments.ts';
import type { Host } from '../run/host.ts';
import { type DeviceRow, joinDevices } from './device-row.ts';
import type { UsbFacts } from './facts.ts';
import { deviceKey } from './hold.ts';
import { concerns } from './namespace-filter.ts';
import { factsOf, readFacts, type UsbCollections } from './read-facts.ts';
import { tableColumns, wideColumns } from './row-columns.ts';
import { shortNames } from './short-name.ts';
import { deviceObject, statusList } from './status-list.ts';

/** Rows go to stdout and sentences to stderr, so that a pipe gets nothing but rows. */
export async function listDevices(args: Arguments, host: Host): Promise<number> {
  const format = await readFormat(args.text('output') ?? 'table', host);
  const sort = await readOrder(args);
  const namespace = args.isOn('all-namespaces') ? undefined : args.text('namespace');
  const watch = args.isOn('watch');
  if (watch && format.kind === 'document') {
    throw new TypedError(
      'USAGE',
      `--watch cannot print ${format.name}`,
      'use -o table, wide, name or custom-columns with --watch',
    );
  }
  const kube = await host.connect(args);
  try {
    const collections = await readFacts(kube, namespace);
    for (const note of collections.notes) host.stderr.write(`note: ${note}\n`);
    let statuses: readonly UsbNodeStatus[] = collections.statuses.items;
    const objectOf = (row: DeviceRow) => deviceObject(row, statuses);
    const rowsOf = (facts: UsbFacts) => {
      statuses = facts.statuses;
      return joinDevices(facts, host.now()).filter(
        (row) => namespace === undefined || concerns(row, namespace),
      );
    };
    const found = rowsOf(factsOf(collections));
    if (format.kind === 'document') {
      const keys = new Set(found.map(({ node, name }) => deviceKey(node, name)));
      const list = statusList(collections.statuses.items, keys);
      host.stdout.write(await format.print({ ...list, items: sort(list.items, (item) => item) }));
      return 0;
    }
    const rows = sort(found, objectOf);
    // A watch may begin empty, and its first line needs a header all the same.
    const withHeader = !args.isOn('no-headers') && (rows.length > 0 || watch);
    if (rows.length === 0) host.stderr.write(nothingFound(collections, namespace));
    const lines = linesOf(format, rows, objectOf, withHeader, host);
    host.stdout.write(lines.start + rows.map(lines.line).join(''));
    if (!watch) return 0;
    const { watchDevices } = await import('./watch.ts');
    await watchDevices(kube, collections, { printed: rows, rowsOf, lineOf: lines.line }, host);
    return 0;
  } finally {
    kube.close();
  }
}

/** Without --sort-by things stay in their order. */
async function readOrder(args: Arguments): Promise<SortItems> {
  const expression = args.text('sort-by');
  if (expression === undefined) return (items) => [...items];
  return (await import('../output/sort-by.ts')).sorterBy(expression);
}

interface Lines {
  readonly start: string;
  readonly line: (row: DeviceRow) => string;
}

type ObjectOf = (row: DeviceRow) => unknown;

/** How rows become lines; the widths stay those of the first rows. */
function linesOf(
  format: Exclude<Format, { kind: 'document' }>,
  rows: readonly DeviceRow[],
  objectOf: ObjectOf,
  withHeader: boolean,
  host: Host,
): Lines {
  if (format.kind === 'rows' && format.name === 'name') return { start: '', line: ({ name }) => `${name}\n` };
  const { stdout } = host;
  const columns = columnsOf(format, rows, objectOf, host);
  const screen = { colour: stdout.colour, ...(stdout.isTerminal ? { columns: stdout.columns } : {}) };
  const layout = layOut(columns(), rows, screen);
  const start = withHeader ? headerLine(columns(), layout) : '';
  return { start, line: (row) => rowLine(columns(), row, layout) };
}

/** Made anew for each line: SINCE counts from the moment of printing. */
function columnsOf(
  format: Exclude<Format, { kind: 'document' }>,
  rows: readonly DeviceRow[],
  objectOf: ObjectOf,
  host: Host,
): () => Column<DeviceRow>[] {
  if (format.kind === 'columns') {
    const columns = format.columns.map(({ header, cell }) => ({
      header,
      cell: (row: DeviceRow) => cell(objectOf(row)),
    }));
    return () => columns;
  }
  if (format.name === 'wide') return () => wideColumns(host.now());
  // What a program reads must be the name that the API knows; a person's screen is too narrow for 44 columns of it.
  const short = host.stdout.isTerminal ? shortNames(rows.map(({ name }) => name)) : (name: string) => name;
  return () => tableColumns(({ name }) => short(name), host.now());
}

/** An empty cluster and a cluster without agents look the same in a table; they are not. */
function nothingFound({ statuses }: UsbCollections, namespace: string | undefined): string {
  if (statuses.items.length === 0)
    return 'No USB devices found: no node has reported any; is virt-node installed?\n';
  return namespace === undefined
    ? 'No USB devices found\n'
    : `No USB devices found for namespace ${namespace}\n`;
}
