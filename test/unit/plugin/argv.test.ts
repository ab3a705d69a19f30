// The ways to write a flag that kubectl accepts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Flag } from '../../../plugin/commands/flag.ts';
import { normaliseArgv } from '../../../plugin/run/argv.ts';
import { codeOf } from './code-of.ts';

const FLAGS: readonly Flag[] = [
  { name: 'output', short: 'o', kind: 'text', about: '' },
  { name: 'namespace', short: 'n', kind: 'text', about: '' },
  { name: 'watch', short: 'w', kind: 'switch', about: '' },
  { name: 'all-namespaces', short: 'A', kind: 'switch', about: '' },
  { name: 'no-headers', kind: 'switch', about: '' },
  { name: 'as-group', kind: 'texts', about: '' },
];

const normalise = (...argv: string[]) => normaliseArgv(argv, FLAGS);

describe('normaliseArgv', () => {
  it('takes a value that is joined to a short flag', () => {
    expect(normalise('-ojson', '-nfoo')).toEqual(['--output=json', '--namespace=foo']);
  });

  it('takes a value behind an equals sign or in the next word', () => {
    expect(normalise('-o=json', '-n', 'foo')).toEqual(['--output=json', '--namespace=foo']);
    expect(normalise('--output', 'json', '--namespace=foo')).toEqual(['--output=json', '--namespace=foo']);
  });

  it('splits joined switches, also with a flag that takes a value at the end', () => {
    expect(normalise('-Aw')).toEqual(['--all-namespaces=true', '--watch=true']);
    expect(normalise('-Awojson')).toEqual(['--all-namespaces=true', '--watch=true', '--output=json']);
  });

  it('gives the next word to a flag whatever it looks like', () => {
    expect(normalise('-n', '-w')).toEqual(['--namespace=-w']);
    expect(normalise('--output', '--watch')).toEqual(['--output=--watch']);
  });

  it('never gives a switch the next word', () => {
    expect(normalise('-w', 'false', 'list')).toEqual(['--watch=true', 'false', 'list']);
  });

  it('reads the booleans of Go', () => {
    expect(normalise('--watch=f', '--no-headers=T')).toEqual(['--watch=false', '--no-headers=true']);
    expect(normalise('-w=0')).toEqual(['--watch=false']);
  });

  it('keeps no-headers as a name of its own', () => {
    expect(normalise('--no-headers')).toEqual(['--no-headers=true']);
  });

  it('lets the last one win unless the flag may be repeated', () => {
    expect(normalise('-ojson', '-w', '-oyaml')).toEqual(['--watch=true', '--output=yaml']);
    expect(normalise('--as-group=a', '--as-group', 'b')).toEqual(['--as-group=a', '--as-group=b']);
  });

  it('keeps values with spaces, line breaks, equals signs or nothing in them', () => {
    expect(normalise('-n', 'a b', '-oa=b')).toEqual(['--namespace=a b', '--output=a=b']);
    expect(normalise('--namespace=a\nb', '--output=')).toEqual(['--namespace=a\nb', '--output=']);
    expect(normalise('-n=')).toEqual(['--namespace=']);
    expect(normalise('-n', '')).toEqual(['--namespace=']);
  });

  it('leaves what it does not know to the parser', () => {
    expect(normalise('usb', 'list', '--nope=1', '-x', '-wx9', '-')).toEqual([
      'usb',
      'list',
      '--nope=1',
      '-x',
      '--watch=true',
      '-x9',
      '-',
    ]);
  });

  it('touches nothing behind a double dash', () => {
    expect(normalise('show', '--', '-ojson', '-w')).toEqual(['show', '--', '-ojson', '-w']);
  });

  it('refuses a flag without its value', () => {
    expect(codeOf(() => normalise('list', '-o'))).toBe('USAGE');
    expect(codeOf(() => normalise('--namespace'))).toBe('USAGE');
    expect(codeOf(() => normalise('-n', '--', 'x'))).toBe('USAGE');
  });

  it('refuses a switch with a value that is no boolean', () => {
    expect(codeOf(() => normalise('--watch=maybe'))).toBe('USAGE');
    expect(codeOf(() => normalise('-w=constructor'))).toBe('USAGE');
  });
});

/** One flag with its one form and all the ways to write it. */
const spelling = fc.oneof(
  fc
    .record({
      flag: fc.constantFrom(FLAGS[0], FLAGS[1]) as fc.Arbitrary<Flag>,
      value: fc.string({ minLength: 1 }).filter((value) => value !== '--' && !value.startsWith('=')),
      way: fc.nat(4),
    })
    .map(({ flag: { name, short }, value, way }) => ({
      canonical: `--${name}=${value}`,
      words:
        [
          [`--${name}=${value}`],
          [`--${name}`, value],
          [`-${short}${value}`],
          [`-${short}=${value}`],
          [`-${short}`, value],
        ][way] ?? [],
    })),
  fc
    .record({ flag: fc.constantFrom(FLAGS[2], FLAGS[3]) as fc.Arbitrary<Flag>, way: fc.nat(2) })
    .map(({ flag: { name, short }, way }) => ({
      canonical: `--${name}=true`,
      words: [[`--${name}`], [`-${short}`], [`--${name}=t`]][way] ?? [],
    })),
);

describe('normaliseArgv, for any command line', () => {
  it('gives all spellings of a flag one form', () => {
    fc.assert(
      fc.property(spelling, ({ canonical, words }) => {
        expect(normalise('list', ...words)).toEqual(['list', canonical]);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.array(spelling), (spellings) => {
        const once = normalise(...spellings.flatMap(({ words }) => words));
        expect(normalise(...once)).toEqual(once);
      }),
    );
  });

  it('keeps exactly the last value of each flag', () => {
    fc.assert(
      fc.property(fc.array(spelling), (spellings) => {
        const last = new Map(spellings.map(({ canonical }) => [canonical.split('=')[0], canonical]));
        const out = normalise(...spellings.flatMap(({ words }) => words));
        expect(new Set(out)).toEqual(new Set(last.values()));
        expect(out).toHaveLength(last.size);
      }),
    );
  });

  it('either answers or refuses with USAGE', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.string().map((text) => `-${text}`),
          ),
        ),
        (argv) => {
          expect([undefined, 'USAGE']).toContain(codeOf(() => normalise(...argv)));
        },
      ),
    );
  });
});
