// Typed access to the fields of a kubeconfig.
import { describe, expect, it } from 'vitest';
import { Section } from '../../../proto/kube/config/section.ts';

const where = 'user "admin" of /c';
const section = (values: unknown) => new Section(values, where);
const bad = expect.objectContaining({ code: 'BAD_KUBECONFIG' });

describe('fields that are absent or null', () => {
  const empty = section({ a: null });

  it.each(['a', 'b'])('read as empty: %s', (key) => {
    expect(empty.has(key)).toBe(false);
    expect(empty.text(key)).toBe('');
    expect(empty.flag(key)).toBe(false);
    expect(empty.texts(key)).toEqual([]);
    expect(empty.sections(key)).toEqual([]);
    expect(empty.decoded(key)).toBe('');
    expect(empty.section(key).keys()).toEqual([]);
  });

  it('a section that is absent or null is empty', () => {
    expect(section(undefined).keys()).toEqual([]);
    expect(section(null).keys()).toEqual([]);
  });
});

describe('fields of the right kind', () => {
  it('are given as they are', () => {
    const values = section({ t: 'x', f: true, l: ['a', 'b'], m: [{ n: 'v' }], s: { k: 'v' } });
    expect(values.text('t')).toBe('x');
    expect(values.flag('f')).toBe(true);
    expect(values.texts('l')).toEqual(['a', 'b']);
    expect(values.sections('m').map((inner) => inner.text('n'))).toEqual(['v']);
    expect(values.section('s').text('k')).toBe('v');
    expect(values.raw('m')).toEqual([{ n: 'v' }]);
    expect(values.has('f')).toBe(true);
  });

  it('are decoded from base64, with or without line ends', () => {
    expect(section({ d: 'aGVsbG8=' }).decoded('d')).toBe('hello');
    expect(section({ d: 'aGVs\nbG8=\r\n' }).decoded('d')).toBe('hello');
  });
});

describe('fields of another kind are refused, as kubectl does', () => {
  it.each([[12], [true], [['x']], [{ x: 'y' }]])('text that is %j', (value) => {
    expect(() => section({ k: value }).text('k')).toThrow(bad);
  });

  it.each([['true'], [1], [['x']]])('a switch that is %j', (value) => {
    expect(() => section({ k: value }).flag('k')).toThrow(bad);
  });

  it.each([['x'], [{ x: 1 }], [[1]], [['a', null]]])('a list of texts that is %j', (value) => {
    expect(() => section({ k: value }).texts('k')).toThrow(bad);
  });

  it.each([['x'], [12], [['x']]])('a mapping that is %j', (value) => {
    expect(() => section({ k: value }).section('k')).toThrow(bad);
    expect(() => section({ k: [value] }).sections('k')).toThrow(bad);
  });

  it.each([['%%%%'], ['abc'], ['aGVsbG8'], ['a==='], ['-_-_']])('base64 that is %j', (value) => {
    expect(() => section({ k: value }).decoded('k')).toThrow(bad);
  });

  it('the error names the field and its place, never the value', () => {
    expect(() => section({ password: 12345 }).text('password')).toThrow(
      expect.objectContaining({ message: expect.stringContaining('password of user "admin" of /c') }),
    );
    expect(() => section({ password: 12345 }).text('password')).not.toThrow(/12345/);
    expect(() => section({ 'client-key-data': '!secret!' }).decoded('client-key-data')).not.toThrow(/secret/);
  });
});
