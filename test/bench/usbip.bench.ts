// `npm run bench -- usbip [--pairs 6] [--reads 3]`: a disk of one node read on another, by stock usbip and by ours in turn.
import { parseArgs } from 'node:util';
import { Gadget } from '../lab/gadget.ts';
import { CHECKOUT } from '../lab/guest-files.ts';
import type { LabNode } from '../lab/node.ts';
import { median, medianRatio } from './medians.ts';
import type { Bench } from './run.ts';
import { withTwoNodes } from './two-nodes.ts';
import { ourSide, type Side, stockSide } from './usbip-sides.ts';

/** One turn of one side. */
interface Turn {
  readonly attachMs: number;
  /** Megabytes (10^6 bytes) a second. */
  readonly rate: number;
  /** Microseconds of one 4 KiB read, half of them are faster. */
  readonly latency: number;
}

interface Pair {
  readonly ours: Turn;
  readonly stock: Turn;
}

const SIZE = 64 * 1024 * 1024;
const SMALL_READS = 400;

export const bench: Bench = async (argv) => {
  const { values } = parseArgs({
    args: [...argv],
    options: { pairs: { type: 'string', default: '6' }, reads: { type: 'string', default: '3' } },
  });
  const pairs = await withTwoNodes((a, b) => comparedOn(a, b, count(values.pairs), count(values.reads)));
  printTable(pairs);
  return figuresOf(pairs);
};

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`not a count: ${text}`);
  return value;
}

async function comparedOn(a: LabNode, b: LabNode, count: number, reads: number): Promise<Pair[]> {
  await a.ok(`head -c ${SIZE} /dev/urandom >/run/medium`);
  const hash = (await a.ok('sha256sum </run/medium')).split(' ')[0] ?? '';
  const disk = await Gadget.plug(a, { name: 'BENCH', kind: 'storage', udc: 0, file: '/run/medium' });
  const [ours, stock] = [await ourSide(a, b, disk), await stockSide(a, b, disk)];
  const turn = (side: Side) => takeTurn(b, side, reads, hash);
  // The first use of each program reads it from the machine's disk.
  await turn(stock);
  await turn(ours);
  const pairs: Pair[] = [];
  while (pairs.length < count) pairs.push(await pairOf(ours, stock, pairs.length % 2 === 0, turn));
  return pairs;
}

/** ABBA: what drifts on a shared machine meets both sides alike. */
async function pairOf(
  ours: Side,
  stock: Side,
  oursFirst: boolean,
  turn: (side: Side) => Promise<Turn>,
): Promise<Pair> {
  const first = await turn(oursFirst ? ours : stock);
  const second = await turn(oursFirst ? stock : ours);
  return oursFirst ? { ours: first, stock: second } : { ours: second, stock: first };
}

/** Everything is timed in the node, and the hash taken apart from it: it costs as much as the reading. */
async function takeTurn(b: LabNode, side: Side, reads: number, hash: string): Promise<Turn> {
  const { path, milliseconds, detach } = await side.attach();
  const read = `dd if=${path} bs=1M iflag=direct status=none`;
  const timed = await b.ok(`
    for i in $(seq ${reads}); do
      begin=$(date +%s%N); ${read} of=/dev/null || exit; echo $(($(date +%s%N) - begin))
    done
  `);
  const rates = timed.split('\n').map((nanoseconds) => (SIZE / Number(nanoseconds)) * 1000);
  const small = await b.ok(`node ${CHECKOUT}/test/bench/direct-reads.ts ${path} ${SMALL_READS}`);
  const read256 = (await b.ok(`${read} | sha256sum`)).split(' ')[0];
  if (read256 !== hash) throw new Error(`what b read differs: ${read256} instead of ${hash}`);
  await detach();
  return { attachMs: milliseconds, rate: median(rates), latency: (JSON.parse(small) as { p50: number }).p50 };
}

const ROWS = [
  ['read, 64 MiB, bs=1M direct', 'MB/s', ({ rate }: Turn) => rate],
  ['read, 4 KiB direct, scattered', 'us', ({ latency }: Turn) => latency],
  ['attach: request -> readable', 'ms', ({ attachMs }: Turn) => attachMs],
] as const;

function printTable(pairs: readonly Pair[]): void {
  const cells = ROWS.map(([what, unit, of]) => {
    const [ours, stock] = [pairs.map((pair) => of(pair.ours)), pairs.map((pair) => of(pair.stock))];
    const range = (values: number[]) =>
      `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}-${Math.max(...values).toFixed(0)})`;
    const ratio = medianRatio(pairs.map((pair) => [of(pair.ours), of(pair.stock)] as const));
    return [what, unit, range(ours), range(stock), ratio.toFixed(3)];
  });
  const table = [['', 'unit', 'ours', 'stock usbip', 'ours / stock'], ...cells];
  for (const row of table) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(column === 0 ? 31 : 16))
        .join('')
        .trimEnd(),
    );
  }
  console.log(
    `medians (least-most) of ${pairs.length} pairs in turn; every read had the sha256 of the medium`,
  );
}

function figuresOf(pairs: readonly Pair[]): Record<string, number> {
  const ratio = (of: (turn: Turn) => number) =>
    medianRatio(pairs.map(({ ours, stock }) => [of(ours), of(stock)] as const));
  return {
    ratio_vs_stock: ratio(({ rate }) => rate),
    ours_mb_s: median(pairs.map(({ ours }) => ours.rate)),
    stock_mb_s: median(pairs.map(({ stock }) => stock.rate)),
    latency_ratio: ratio(({ latency }) => latency),
    attach_ms_ours: median(pairs.map(({ ours }) => ours.attachMs)),
    attach_ms_stock: median(pairs.map(({ stock }) => stock.attachMs)),
  };
}
