// Files that are whole or not there, and damaged ones that are kept.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DamagedFile,
  readDurable,
  removeDurable,
  writeDurable,
} from '../../../node/run/durable-file.ts';
import { memoryFolder } from '../../support/dra/driver-bench.ts';

let folder: string;
let path: string;
let damaged: DamagedFile[];
beforeEach(() => {
  folder = memoryFolder();
  path = join(folder, 'state', 'one.json');
  damaged = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (decode: (text: string) => unknown = JSON.parse) =>
  readDurable(path, decode, (file) => damaged.push(file));

describe('a durable file', () => {
  it('reads as it was written, for the owner only, with no other file left', async () => {
    await writeDurable(path, '{"a":1}');
    expect(await read()).toEqual({ a: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'state'))).toEqual(['one.json']);
  });

  it('replaces the former text', async () => {
    await writeDurable(path, '1');
    await writeDurable(path, '2');
    expect(await read()).toBe(2);
  });

  it('takes over from a temporary file that a crash left', async () => {
    mkdirSync(join(folder, 'state'));
    writeFileSync(`${path}.tmp`, 'half');
    await writeDurable(path, '2');
    expect(readdirSync(join(folder, 'state'))).toEqual(['one.json']);
  });

  it('is undefined when it is missing, without a report', async () => {
    expect(await read()).toBeUndefined();
    expect(damaged).toEqual([]);
  });

  it('keeps the former text when writing fails', async () => {
    await writeDurable(path, '1');
    mkdirSync(`${path}.tmp`);
    await expect(writeDurable(path, '2')).rejects.toMatchObject({ code: 'KERNEL' });
    expect(await read()).toBe(1);
  });

  it('that need not survive a power cut is whole and replaced and deleted just so', async () => {
    await writeDurable(path, '1', 'crash');
    await writeDurable(path, '2', 'crash');
    expect([await read(), readdirSync(join(folder, 'state'))]).toEqual([2, ['one.json']]);
    await removeDurable(path, 'crash');
    await removeDurable(path, 'crash');
    expect(await read()).toBeUndefined();
  });

  it('may be deleted twice', async () => {
    await writeDurable(path, '1');
    await removeDurable(path);
    await removeDurable(path);
    expect(await read()).toBeUndefined();
  });
});

describe('a damaged file', () => {
  it('is moved aside under the next free number and reported', async () => {
    for (const text of ['one', 'two']) {
      await writeDurable(path, text);
      expect(await read()).toBeUndefined();
    }
    expect(damaged.map(({ movedTo }) => movedTo)).toEqual([`${path}.corrupt-1`, `${path}.corrupt-2`]);
    expect(readFileSync(`${path}.corrupt-2`, 'utf8')).toBe('two');
  });

  it('is moved aside when it cannot even be read', async () => {
    mkdirSync(path, { recursive: true });
    expect(await read()).toBeUndefined();
    expect(damaged).toHaveLength(1);
  });

  it('that another reader has moved already counts as missing', async () => {
    await writeDurable(path, 'bad');
    const results = await Promise.all([read(), read()]);
    expect(results).toEqual([undefined, undefined]);
    expect(readdirSync(join(folder, 'state'))).toHaveLength(1);
  });
});
