// `npm run bench -- NAME [flags]`: runs one bench; each prints a table for people and one last line of key=value.
import { readdirSync } from 'node:fs';

/** A bench measures ours and its peer in the same run and returns the figures of the last line. */
export type Bench = (argv: readonly string[]) => Promise<Readonly<Record<string, number>>>;

const folder = new URL('.', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length));

const [name = '', ...argv] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(
    `error: there is no bench ${JSON.stringify(name)} (USAGE)\nhint: give one of: ${names.join(', ')}\n`,
  );
  process.exit(2);
}
const { bench } = (await import(new URL(`${name}.bench.ts`, folder).href)) as { bench: Bench };
const figures = await bench(argv);
const round = (value: number) => Number(value.toPrecision(4));
process.stdout.write(
  `${Object.entries(figures)
    .map(([key, value]) => `${key}=${round(value)}`)
    .join(' ')}\n`,
);
process.exit(0);
