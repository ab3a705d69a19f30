// `npm run bench -- usbip [--rounds 4] [--pairs 4]`: disks of one node read on another, by stock usbip and by ours.
import { parseArgs } from 'node:util';
import { Gadget } from '../lab/gadget.ts';
import { CHECKOUT } from '../lab/guest-files.ts';
import type { LabNode } from '../lab/node.ts';
import { median, medianRatio } from './medians.ts';
import type { Bench } from './run.ts';
import { withTwoNodes } from './two-nodes.ts';
import { type Attached, ourSide, type Side, stockSide } from './usbip-sides.ts';

/** One value of ours and one of stock, measured one right after the other. */
type Pair = readonly [ours: number, stock: number];

interface Measured {
  /** Megabytes (10^6 bytes) a second, 64 MiB in direct reads of 1 MiB. */
  readonly rates: Pair[];
  /** Microseconds of direct reads of 4 KiB, p50 of many. */
  readonly latencies: Pair[];
  /** Milliseconds from the request until the disk can be read. */
  readonly attaches: Pair[];
}

const SIZE = 64 * 1024 * 1024;
const SMALL_READS = 400;

export const bench: Bench = async (argv) => {
  const { values } = parseArgs({
    args: [...argv],
    options: { rounds: { type: 'string', default: '4' }, pairs: { type: 'string', default: '4' } },
  });
  const [rounds, pairs] = [count(values.rounds), count(values.pairs)];
  const measured = await withTwoNodes((a, b) => measure(a, b, rounds, pairs));
  printTable(measured);
  return {
    ratio_vs_stock: medianRatio(measured.rates),
    ours_mb_s: median(measured.rates.map(([ours]) => ours)),
    stock_mb_s: median(measured.rates.map(([, stock]) => stock)),
    latency_ratio: medianRatio(measured.latencies),
    attach_ms_ours: median(measured.attaches.map(([ours]) => ours)),
    attach_ms_stock: median(measured.attaches.map(([, stock]) => stock)),
  };
};

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`not a count: ${text}`);
  return value;
}

/**
 * Two disks with one content, one attached by each side at a time, so that reads which are compared are seconds apart;
 * the sides change disks with every round.
 */
async function measure(a: LabNode, b: LabNode, rounds: number, pairs: number): Promise<Measured> {
  await a.ok(`head -c ${SIZE} /dev/urandom >/run/medium`);
  const hash = await hashOf(a, '/run/medium');
  const plug = (name: string, udc: number) =>
    Gadget.plug(a, { name, kind: 'storage', udc, file: '/run/medium' });
  const disks = [await plug('BENCH-1', 0), await plug('BENCH-2', 1)] as const;
  const [ours, stock] = [await ourSide(a, b, disks), await stockSide(a, b)];
  const all: Measured = { rates: [], latencies: [], attaches: [] };
  // The first round only brings the programs into memory.
  for (let round = 0; round <= rounds; round++) {
    const [first, second] = disks;
    const measured = round === 0 ? { rates: [], latencies: [], attaches: [] } : all;
    const swapped = round % 2 === 1;
    await takeRound(b, [ours, swapped ? second : first], [stock, swapped ? first : second], {
      pairs: round === 0 ? 1 : pairs,
      hash,
      measured,
    });
  }
  return all;
}

interface RoundOptions {
  readonly pairs: number;
  readonly hash: string;
  readonly measured: Measured;
}

/** ABBA: what drifts on a shared machine meets both sides alike. */
async function takeRound(
  b: LabNode,
  ours: readonly [Side, Gadget],
  stock: readonly [Side, Gadget],
  { pairs, hash, measured: { rates, latencies, attaches } }: RoundOptions,
): Promise<void> {
  const attach = ([side, disk]: readonly [Side, Gadget]) => side.attach(disk);
  const [mine, theirs] = await inTurn(
    attaches.length,
    () => attach(ours),
    () => attach(stock),
  );
  attaches.push([mine.milliseconds, theirs.milliseconds]);
  const both = async (turn: number, measureOne: (b: LabNode, disk: Attached) => Promise<number>) =>
    inTurn(
      turn,
      () => measureOne(b, mine),
      () => measureOne(b, theirs),
    );
  for (let turn = 0; turn < pairs; turn++) {
    rates.push(await both(turn, readRate));
    latencies.push(await both(turn, readLatency));
  }
  for (const { path } of [mine, theirs]) {
    const read = await hashOf(b, path);
    if (read !== hash) throw new Error(`what b read from ${path} differs: ${read} instead of ${hash}`);
  }
  await theirs.detach();
  await mine.detach();
}

async function inTurn<T>(
  turn: number,
  ours: () => Promise<T>,
  stock: () => Promise<T>,
): Promise<readonly [ours: T, stock: T]> {
  if (turn % 2 === 0) return [await ours(), await stock()];
  const second = await stock();
  return [await ours(), second];
}

/** Everything is timed in the node. Hashing is kept apart: it costs as much as the reading. */
async function readRate(b: LabNode, { path }: Attached): Promise<number> {
  const nanoseconds = await b.ok(`
    begin=$(date +%s%N)
    dd if=${path} bs=1M iflag=direct status=none of=/dev/null || exit
    echo $(($(date +%s%N) - begin))
  `);
  return (SIZE / Number(nanoseconds)) * 1000;
}

async function readLatency(b: LabNode, { path }: Attached): Promise<number> {
  const printed = await b.ok(`node ${CHECKOUT}/test/bench/direct-reads.ts ${path} ${SMALL_READS}`);
  return (JSON.parse(printed) as { p50: number }).p50;
}

async function hashOf(node: LabNode, path: string): Promise<string> {
  return (await node.ok(`dd if=${path} bs=1M iflag=direct status=none | sha256sum`)).slice(0, 64);
}

function printTable({ rates, latencies, attaches }: Measured): void {
  const range = (values: number[]) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return `${median(values).toFixed(0)} (${least.toFixed(0)}-${most.toFixed(0)})`;
  };
  const row = (what: string, unit: string, pairs: readonly Pair[]) => [
    what,
    unit,
    range(pairs.map(([ours]) => ours)),
    range(pairs.map(([, stock]) => stock)),
    medianRatio(pairs).toFixed(3),
    String(pairs.length),
  ];
  const table = [
    ['', 'unit', 'ours', 'stock usbip', 'ours / stock', 'pairs'],
    row('read, 64 MiB, bs=1M direct', 'MB/s', rates),
    row('read, 4 KiB direct, scattered', 'us', latencies),
    row('attach: request -> readable', 'ms', attaches),
  ];
  for (const cells of table) {
    console.log(
      cells
        .map((cell, column) => cell.padEnd(column === 0 ? 31 : 16))
        .join('')
        .trimEnd(),
    );
  }
  console.log('medians (least-most), ratios: median over pairs; every disk had the sha256 of the medium');
}
