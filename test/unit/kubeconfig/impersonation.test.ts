// Headers that ask to act as someone else.
import { describe, expect, it } from 'vitest';
import { type Impersonation, impersonationHeaders } from '../../../proto/kube/config/impersonation.ts';

const who = (values: Partial<Impersonation>): Impersonation => ({
  as: '',
  asUid: '',
  asGroups: [],
  asExtra: {},
  ...values,
});

describe('acting as someone else', () => {
  it('adds no header when nobody is named', () => {
    expect(impersonationHeaders(who({}))).toEqual({});
    expect(impersonationHeaders(who({ asExtra: { k: [] } }))).toEqual({});
  });

  it('gives every group and every extra value a line of its own', () => {
    expect(
      impersonationHeaders(
        who({ as: 'alice', asUid: '7', asGroups: ['a', 'b, c'], asExtra: { k: ['v', 'w'] } }),
      ),
    ).toEqual({
      'Impersonate-User': 'alice',
      'Impersonate-Uid': '7',
      'Impersonate-Group': ['a', 'b, c'],
      'Impersonate-Extra-k': ['v', 'w'],
    });
  });

  it('leaves an extra key without values out', () => {
    expect(impersonationHeaders(who({ as: 'alice', asExtra: { k: [] } }))).toEqual({
      'Impersonate-User': 'alice',
    });
  });

  it.each([
    ['scope', 'scope'],
    ['example.com/team', 'example.com%2Fteam'],
    ['50%', '50%25'],
    ['a b', 'a%20b'],
    ['ü', '%C3%BC'],
  ])('encodes the extra key %s as %s', (key, encoded) => {
    const headers = impersonationHeaders(who({ as: 'a', asExtra: { [key]: ['v'] } }));
    expect(Object.keys(headers)).toContain(`Impersonate-Extra-${encoded}`);
  });

  it('sends names beyond ASCII as the bytes of UTF-8', () => {
    const user = impersonationHeaders(who({ as: 'Jürgen Ж' }))['Impersonate-User'];
    expect(Buffer.from(String(user), 'latin1').toString()).toBe('Jürgen Ж');
  });

  it.each([
    ['groups without a user', { asGroups: ['g'] }],
    ['a uid without a user', { asUid: '7' }],
    ['extra without a user', { asExtra: { k: ['v'] } }],
    ['a line end in a user', { as: 'a\r\nX-Evil: 1' }],
    ['a line end in a group', { as: 'a', asGroups: ['g\n'] }],
    ['a line end in a uid', { as: 'a', asUid: '1\n' }],
    ['a tab in an extra value', { as: 'a', asExtra: { k: ['\t'] } }],
  ])('refuses %s', (_name, values) => {
    expect(() => impersonationHeaders(who(values))).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG', hint: expect.any(String) }),
    );
  });
});
