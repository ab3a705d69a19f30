// Addresses, locks, stores and texts of the driver.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commonCdiSpec } from '../../../node/dra/cdi.ts';
import { FileCdiStore } from '../../../node/dra/cdi-store.ts';
import { FileClaimStore } from '../../../node/dra/claim-store.ts';
import { errorText } from '../../../node/dra/error-text.ts';
import { formatPeerAddress, parsePeerAddress } from '../../../node/dra/peer-address.ts';
import { TypedError } from '../../../proto/api/typed-error.ts';
import { memoryFolder } from '../../support/dra/driver-bench.ts';
import { ref } from '../../support/dra/objects.ts';

let folder: string;
beforeEach(() => {
  folder = memoryFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the address of a peer', () => {
  it.each([
    ['10.0.0.1:4280', { host: '10.0.0.1', port: 4280 }],
    ['[fd00::1]:1', { host: 'fd00::1', port: 1 }],
    ['node-a.example:65535', { host: 'node-a.example', port: 65_535 }],
  ])('%s is read and written back', (text, address) => {
    expect(parsePeerAddress(text)).toEqual(address);
    expect(formatPeerAddress(address)).toBe(text);
  });

  it.each([
    '',
    '10.0.0.1',
    ':4280',
    'fd00::1:4280',
    '[host]:1',
    'a:0',
    'a:65536',
    'a:x',
    'a b:1',
    '[fd00::1]',
  ])('%j is none', (text) => {
    expect(parsePeerAddress(text)).toBeUndefined();
  });
});

describe('CDI files', () => {
  it('are written whole, listed and removed', async () => {
    const store = new FileCdiStore(join(folder, 'cdi'));
    await store.write('common', commonCdiSpec('b'));
    await store.write('uid-1', commonCdiSpec('b'));
    writeFileSync(join(folder, 'cdi', 'other.json'), '{}');
    expect(await store.list()).toEqual(['common', 'uid-1']);
    const path = join(folder, 'cdi', 'dra.virtualization.deckhouse.io-usb_common.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(commonCdiSpec('b'));
    await store.remove('uid-1');
    await store.remove('uid-1');
    expect(readdirSync(join(folder, 'cdi')).sort()).toEqual([
      'dra.virtualization.deckhouse.io-usb_common.json',
      'other.json',
    ]);
  });

  it('that cannot be written are an error of the kernel', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = new FileCdiStore(join(folder, 'file'));
    await expect(store.write('common', commonCdiSpec('b'))).rejects.toMatchObject({ code: 'KERNEL' });
    expect(await new FileCdiStore(join(folder, 'missing')).list()).toEqual([]);
  });
});

describe('the store of claims', () => {
  const record = { bootId: 'b', claim: ref('c1'), state: 'PrepareStarted' as const, since: 't', devices: [] };

  it('lists the good ones beside a damaged one, which is kept', async () => {
    const damaged: string[] = [];
    const store = new FileClaimStore(join(folder, 'c'), ({ path }) => damaged.push(path));
    expect(await store.list()).toEqual([]);
    await store.write(record);
    writeFileSync(join(folder, 'c', 'bad.json'), '{}');
    mkdirSync(join(folder, 'c', 'x.json.tmp'));
    expect(await store.list()).toEqual([record]);
    expect(damaged).toEqual([join(folder, 'c', 'bad.json')]);
    expect(await store.read('uid-c1')).toEqual(record);
    await store.remove('uid-c1');
    expect(await store.read('uid-c1')).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['full of zeroes', '\0\0\0'],
  ])('takes a file that a power cut left %s for none, and overwrites it', async (_, text) => {
    const damaged: string[] = [];
    const store = new FileClaimStore(folder, ({ path }) => damaged.push(path));
    writeFileSync(join(folder, 'uid-c1.json'), text);
    expect([await store.list(), await store.read('uid-c1'), damaged]).toEqual([[], undefined, []]);
    await store.write(record);
    expect(await store.list()).toEqual([record]);
  });

  it.each(['', '..', 'a/b', '.hidden', 'x'.repeat(200)])('takes no claim with uid %j', async (uid) => {
    const store = new FileClaimStore(folder, () => {});
    await expect(store.read(uid)).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

describe('an error as text', () => {
  it('has the code, and the hint when there is one', () => {
    expect(errorText(new TypedError('DEVICE_BUSY', 'it is held'))).toBe('it is held (DEVICE_BUSY)');
    expect(errorText(new TypedError('DEVICE_BUSY', 'it is held', 'wait'))).toBe(
      'it is held (DEVICE_BUSY): wait',
    );
  });
});
