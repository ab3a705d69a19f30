// The quick YAML reader knows what programs write and gives up on the rest.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPlainYaml } from '../../../proto/kube/config/plain-yaml.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/kubeconfig/${name}`, import.meta.url), 'utf8');

describe('the plain reader understands what programs write', () => {
  it.each(['kubeadm.yaml', 'minikube.yaml', 'first.yaml', 'second.yaml'])('%s', (name) => {
    const text = fixture(name);
    expect(readPlainYaml(text)).toEqual(parse(text));
    expect(readPlainYaml(text)).toBeDefined();
  });

  const understood: [name: string, text: string, value: unknown][] = [
    ['a mapping', 'a: b\nc: d\n', { a: 'b', c: 'd' }],
    ['no line end at the end', 'a: b', { a: 'b' }],
    ['comments and empty lines', '# top\n\na: b\n  # inside\nc: d\n', { a: 'b', c: 'd' }],
    ['a mapping in a mapping', 'a:\n  b:\n    c: d\n  e: f\n', { a: { b: { c: 'd' }, e: 'f' } }],
    ['a list at the indent of its key', 'a:\n- b\n- c\nd: e\n', { a: ['b', 'c'], d: 'e' }],
    ['a list further in', 'a:\n  - b\n  - c\nd: e\n', { a: ['b', 'c'], d: 'e' }],
    ['mappings in a list', 'a:\n- b: c\n  d: e\n- b: f\n', { a: [{ b: 'c', d: 'e' }, { b: 'f' }] }],
    ['a list in a mapping in a list', 'a:\n- b:\n  - c\n  d: e\n', { a: [{ b: ['c'], d: 'e' }] }],
    ['a list as the whole', '- a\n- b\n', ['a', 'b']],
    ['empty collections', 'a: {}\nb: []\n', { a: {}, b: [] }],
    ['nothing and null', 'a:\nb: null\nc:\n', { a: null, b: null, c: null }],
    ['true and false', 'a: true\nb: false\n', { a: true, b: false }],
    ['quotes', 'a: "b: c # d"\ne: \'007\'\nf: ""\n', { a: 'b: c # d', e: '007', f: '' }],
    ['flags in a list', 'a:\n- --region\n- -v\n- x=y\n', { a: ['--region', '-v', 'x=y'] }],
    ['a URL', 'a: https://10.0.0.1:6443/x\n', { a: 'https://10.0.0.1:6443/x' }],
    ['words', 'a: Tue, 02 Jan 2024 10:00:00 UTC\n', { a: 'Tue, 02 Jan 2024 10:00:00 UTC' }],
    ['base64', 'a: LS0tLS1CRUdJTi+/A==\n', { a: 'LS0tLS1CRUdJTi+/A==' }],
    ['an address', 'a: 10.0.0.1\n', { a: '10.0.0.1' }],
  ];
  it.each(understood)('%s', (_name, text, value) => {
    expect(readPlainYaml(text)).toEqual(value);
  });
});

describe('the plain reader gives up on', () => {
  it.each([
    ['nothing at all', ''],
    ['comments only', '# a\n'],
    ['a scalar as the whole', 'a\n'],
    ['a document mark', '---\na: b\n'],
    ['a directive', '%YAML 1.2\n---\na: b\n'],
    ['numbers', 'a: 12\n'],
    ['signed numbers', 'a: -1.5e3\n'],
    ['hexadecimal numbers', 'a: 0xff\n'],
    ['infinity', 'a: .inf\n'],
    ['other spellings of true and null', 'a: True\nb: ~\n'],
    ['tabs', 'a:\tb\n'],
    ['tabs as indent', 'a:\n\tb: c\n'],
    ['carriage returns', 'a: b\r\n'],
    ['characters beyond ASCII', 'a: ü\n'],
    ['a no-break space as indent', 'a:\n\u00a0b: c\n'],
    ['comments behind values', 'a: b # c\n'],
    ['flow mappings', 'a: { b: c }\n'],
    ['flow lists', 'a: [b]\n'],
    ['block scalars', 'a: |\n  b\n'],
    ['folded scalars', 'a: >-\n  b\n'],
    ['scalars over two lines', 'a: b\n  c\n'],
    ['anchors', 'a: &x b\n'],
    ['aliases', 'a: *x\n'],
    ['tags', 'a: !!str b\n'],
    ['merge keys', 'a:\n  <<: b\n'],
    ['quoted keys', '"a": b\n'],
    ['keys that are no text', 'true: a\n'],
    ['the same key twice', 'a: b\na: c\n'],
    ['escapes', 'a: "b\\n"\n'],
    ['doubled quotes', "a: 'b''c'\n"],
    ['an open quote', 'a: "b\n'],
    ['a key as value', 'a: b: c\n'],
    ['two spaces behind the colon', 'a:  b\n'],
    ['a space at the end', 'a: b \n'],
    ['a colon at the end of a value', 'a: b:\n'],
    ['a lone dash', 'a:\n-\n'],
    ['a list in a list', 'a:\n- - b\n'],
    ['a mapping further in than its first key', 'a: b\n  c: d\n'],
    ['a mapping further out than its first key', '  a: b\nc: d\n'],
    ['a key between list elements', '- a\nb: c\n'],
    ['a dash between keys', 'a: b\n- c\n'],
  ])('%s', (_name, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });
});
