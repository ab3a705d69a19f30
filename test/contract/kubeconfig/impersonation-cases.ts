// Users and flags whose impersonation headers are compared with those that kubectl sends.

export interface ImpersonationCase {
  readonly name: string;
  readonly user: Readonly<Record<string, unknown>>;
  readonly flags?: readonly string[];
  readonly options?: Readonly<Record<string, string | readonly string[]>>;
}

const WHOLE = {
  as: 'alice',
  'as-uid': '42',
  'as-groups': ['dev', 'ops, eu'],
  'as-user-extra': { 'example.com/team': ['a', 'b'], scope: ['x'], 'odd key%': ['y'] },
};

export const IMPERSONATION_CASES: readonly ImpersonationCase[] = [
  { name: 'nobody else', user: {} },
  { name: 'a user', user: { as: 'alice' } },
  { name: 'user, uid, groups and extra', user: WHOLE },
  { name: 'a name beyond ASCII', user: { as: 'Jürgen Ж' } },
  { name: 'a token is never sent without TLS', user: { as: 'alice', token: 'made-up' } },
  {
    name: 'flags without a kubeconfig entry',
    user: {},
    flags: ['--as', 'bob', '--as-group', 'x', '--as-group', 'y', '--as-uid', '7'],
    options: { as: 'bob', asGroup: ['x', 'y'], asUid: '7' },
  },
  {
    name: 'a user flag over a whole entry',
    user: WHOLE,
    flags: ['--as', 'bob'],
    options: { as: 'bob' },
  },
  {
    name: 'a group flag over a whole entry',
    user: WHOLE,
    flags: ['--as-group', 'x'],
    options: { asGroup: ['x'] },
  },
];
