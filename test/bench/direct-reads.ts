// Reads single blocks of a device past the page cache, in a scattered order, and prints how long they took as JSON:
// node test/bench/direct-reads.ts /dev/sda 500
import { closeSync, constants, openSync, readSync } from 'node:fs';

const BLOCK = 4096;
const [path = '', count = '500', size = String(64 * 1024 * 1024)] = process.argv.slice(2);

// O_DIRECT wants aligned memory, and WebAssembly's is the one kind in JavaScript that begins at a page.
const memory = new Uint8Array(new WebAssembly.Memory({ initial: 1 }).buffer, 0, BLOCK);
const blocks = Number(size) / BLOCK;
// A step that has no factor in common with a power of two visits every block once, far apart.
const step = 7919;

const device = openSync(path, constants.O_RDONLY | constants.O_DIRECT);
const microseconds: number[] = [];
for (let read = 1; read <= Number(count); read++) {
  const begin = performance.now();
  const bytes = readSync(device, memory, 0, BLOCK, ((read * step) % blocks) * BLOCK);
  microseconds.push((performance.now() - begin) * 1000);
  if (bytes !== BLOCK) throw new Error(`read ${bytes} of ${BLOCK} bytes`);
}
closeSync(device);

const sorted = microseconds.toSorted((x, y) => x - y);
const quantile = (q: number) => Math.round(sorted[Math.floor(sorted.length * q)] ?? Number.NaN);
console.log(JSON.stringify({ p50: quantile(0.5), p95: quantile(0.95) }));
