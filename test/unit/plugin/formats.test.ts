// jsonpath, custom columns and orders of usb list and usb show, as a person calls them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseColumnsFile } from '../../../plugin/output/custom-columns.ts';
import { codeOf } from './code-of.ts';
import { run } from './fake-host.ts';
import { FakeKube } from './fake-kube.ts';
import { DISK } from './lab-facts.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'formats-'));
  await writeFile(join(folder, 'names'), '{range .items[*]}{.metadata.name}\n{end}');
  await writeFile(join(folder, 'columns'), '  NODE   BUS\n.metadata.name  .status.devices[0].busID\n');
});
afterAll(() => rm(folder, { recursive: true }));

const lines = (text: string) => text.trimEnd().split('\n');

describe('usb list -o jsonpath', () => {
  it('is about the List that -o json prints', async () => {
    const json = JSON.parse((await run('usb list -ojson')).out);
    const { code, out } = await run(['usb', 'list', '-o', 'jsonpath={.kind} {.items[*].metadata.name}']);
    const names = json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect([code, out]).toEqual([0, ['List', ...names].join(' ')]);
  });

  it('prints device names in a pipe as they are, and nothing that steers on a terminal', async () => {
    const argv = ['usb', 'list', '-ojsonpath={.items[*].status.devices[?(@.vendorID=="04b8")].product}'];
    expect((await run(argv)).out).toContain('\u001b');
    expect((await run(argv, { columns: 100 })).out).not.toContain('\u001b');
  });

  it('takes its template from a file', async () => {
    const { code, out } = await run(['usb', 'list', `-o=jsonpath-file=${folder}/names`]);
    expect([code, lines(out)]).toEqual([0, expect.arrayContaining(['worker-1'])]);
  });

  it.each([
    ['jsonpath='],
    ['jsonpath={.a'],
    ['jsonpath-file=/no/such/file'],
    ['custom-columns='],
    ['custom-columns=NAME'],
    ['custom-columns=NAME:.a,B:.c[x]'],
    ['custom-columns-file=/no/such/file'],
    ['jsonpath'],
    ['jsonpathx={.a}'],
  ])('refuses %s before the cluster is asked', async (format) => {
    const kube = new FakeKube();
    const { code, out, err } = await run(['usb', 'list', '-o', format], { kube });
    expect([code, out, kube.calls]).toEqual([2, '', []]);
    expect(err).toMatch(/^error: .* \(USAGE\)\nhint: .*\n$/);
  });

  it('refuses an index that the objects have no place for, with one error', async () => {
    const { code, out, err } = await run(['usb', 'list', '-o', 'jsonpath={.items[99]}']);
    expect([code, out]).toEqual([2, '']);
    expect(err.match(/^error: /gm)).toHaveLength(1);
  });

  it('does not go with --watch', async () => {
    expect((await run(['usb', 'list', '-w', '-o', 'jsonpath={.kind}'])).code).toBe(2);
  });
});

describe('usb list -o custom-columns', () => {
  const columns = 'custom-columns=NODE:.metadata.name,DEVICE:.status.devices[*].name';

  it('prints one line for each device, which is the only one in its object', async () => {
    const { out: names } = await run('usb list -oname');
    const { code, out } = await run(['usb', 'list', '-o', columns]);
    const [header, ...rows] = lines(out).map((line) => line.split(/ +/));
    expect([code, header]).toEqual([0, ['NODE', 'DEVICE']]);
    const plugged = rows.flatMap(([, device]) => (device === '<none>' ? [] : [device]));
    expect(lines(names)).toEqual(expect.arrayContaining(plugged));
    expect(rows).toHaveLength(lines(names).length);
  });

  it('leaves the header out with --no-headers', async () => {
    const [first, ...rest] = lines((await run(['usb', 'list', '-o', columns])).out);
    expect(first).toMatch(/^NODE/);
    expect(lines((await run(['usb', 'list', '--no-headers', '-o', columns])).out)).toHaveLength(rest.length);
  });

  it('takes headers and paths from a file', async () => {
    const { out } = await run(['usb', 'show', DISK, '-o', `custom-columns-file=${folder}/columns`]);
    expect(lines(out).map((line) => line.split(/ +/))).toEqual([
      ['NODE', 'BUS'],
      ['worker-1', expect.stringMatching(/^\d-/)],
    ]);
  });

  it.each(['', 'A', 'A\n', 'A B\n.a', 'A\n.a .b', 'A\n.a['])('refuses the file %j', (text) => {
    expect(codeOf(() => parseColumnsFile(text))).toBe('USAGE');
  });

  it('never lets a device write escapes', async () => {
    const format = 'custom-columns=PRODUCT:.status.devices[*].product';
    const { out } = await run(['usb', 'list', '-o', format]);
    expect(out).toContain('\\x1b');
    expect(out).not.toContain('\u001b');
  });
});

describe('usb list --sort-by', () => {
  it('orders lines by the field of each device, those without it last', async () => {
    const format = 'custom-columns=VENDOR:.status.devices[*].vendorID';
    const { code, out } = await run(
      ['usb', 'list', '--no-headers', '-o', format, '--sort-by=.status.devices[*].vendorID'],
      {},
    );
    const vendors = lines(out).map((line) => line.trim());
    const known = vendors.filter((vendor) => vendor !== '<none>');
    expect([code, vendors]).toEqual([0, [...known.toSorted(), ...vendors.slice(known.length)]]);
    expect(known.length).toBeGreaterThan(4);
  });

  it('orders the table and names by the same', async () => {
    const sort = '--sort-by={.status.devices[*].product}';
    const names = lines((await run(['usb', 'list', '-oname', sort])).out);
    const table = lines((await run(['usb', 'list', '--no-headers', sort])).out);
    expect(table.map((line) => line.split(' ')[0])).toEqual(names);
    expect(names).not.toEqual(lines((await run('usb list -oname')).out));
  });

  it('orders the objects of a document', async () => {
    const { out } = await run([
      'usb',
      'list',
      '-ojsonpath={.items[*].metadata.name}',
      '--sort-by=.status.heartbeat',
    ]);
    const plain = await run(['usb', 'list', '-ojsonpath={.items[*].metadata.name}']);
    expect(out.split(' ').toSorted()).toEqual(plain.out.split(' ').toSorted());
  });

  it.each(['.status.devices[', '', '.no.such.field'])('refuses %j', async (order) => {
    const { code, out } = await run(['usb', 'list', `--sort-by=${order}`]);
    expect([code, out === '']).toEqual(order === '' ? [0, false] : [2, true]);
  });

  it('has nothing against an empty cluster', async () => {
    const kube = new FakeKube({ usbnodestatuses: [], resourceclaims: [] });
    expect((await run(['usb', 'list', '--sort-by=.metadata.name'], { kube })).code).toBe(0);
  });
});

describe('usb show', () => {
  it('prints parts of the object that -o json prints', async () => {
    const json = JSON.parse((await run(['usb', 'show', DISK, '-ojson'])).out);
    const { code, out } = await run(['usb', 'show', DISK, '-o', 'jsonpath={.status.devices[0].fingerprint}']);
    expect([code, out]).toEqual([0, json.status.devices[0].fingerprint]);
  });

  it('prints columns without header with --no-headers', async () => {
    const { out } = await run(['usb', 'show', DISK, '-ocustom-columns=N:.metadata.name', '--no-headers']);
    expect(out).toBe('worker-1\n');
  });
});
