// Which cluster and user are meant, and what a person is told when there is none.
import { describe, expect, it } from 'vitest';
import { mergeKubeconfigs } from '../../../proto/kube/config/merged-kubeconfig.ts';
import { Section } from '../../../proto/kube/config/section.ts';
import { namesTarget, selectTarget } from '../../../proto/kube/config/target.ts';

function config(values: object = {}) {
  const whole = {
    'current-context': 'lab',
    contexts: [
      { name: 'lab', context: { cluster: 'c1', user: 'u1', namespace: 'vms' } },
      { name: 'prod', context: { cluster: 'c2', user: 'u2' } },
      { name: 'no-cluster', context: { user: 'u1' } },
      { name: 'no-user', context: { cluster: 'c1' } },
      { name: 'lost-cluster', context: { cluster: 'gone', user: 'u1' } },
      { name: 'lost-user', context: { cluster: 'c1', user: 'gone' } },
    ],
    clusters: [
      { name: 'c1', cluster: { server: 'https://one' } },
      { name: 'c2', cluster: { server: 'https://two' } },
      { name: 'broken', cluster: { server: 7 } },
    ],
    users: [
      { name: 'u1', user: { token: 'one' } },
      { name: 'u2', user: { token: 'two' } },
      { name: 'broken', user: { token: 7 } },
    ],
    ...values,
  };
  return mergeKubeconfigs([{ path: '/k', root: new Section(whole, '/k') }]);
}

function chosen(options: object, values?: object) {
  const { cluster, user, namespace, source } = selectTarget(config(values), options);
  return [cluster.server, user.token, namespace, source];
}

describe('the target is', () => {
  it.each([
    ['that of current-context', {}, ['https://one', 'one', 'vms', 'context lab of /k']],
    ['that of --context', { context: 'prod' }, ['https://two', 'two', '', 'context prod of /k']],
    ['with another cluster', { cluster: 'c2' }, ['https://two', 'one', 'vms', 'context lab of /k']],
    ['with another user', { user: 'u2' }, ['https://one', 'two', 'vms', 'context lab of /k']],
    [
      'with nobody when the context names no user',
      { context: 'no-user' },
      ['https://one', '', '', 'context no-user of /k'],
    ],
    [
      'with a cluster flag for a context without one',
      { context: 'no-cluster', cluster: 'c2' },
      ['https://two', 'one', '', 'context no-cluster of /k'],
    ],
    [
      'with a server flag for a context without a cluster',
      { context: 'no-cluster', server: 'https://x' },
      ['', 'one', '', 'context no-cluster of /k'],
    ],
  ])('%s', (_name, options, expected) => {
    expect(chosen(options)).toEqual(expected);
  });

  it('what the flags alone say when there is no current-context', () => {
    const none = { 'current-context': '' };
    expect(chosen({ cluster: 'c2', user: 'u2' }, none)).toEqual(['https://two', 'two', '', 'the flags']);
    expect(chosen({ server: 'https://x' }, none)).toEqual(['', '', '', 'the flags']);
  });

  it('not hindered by broken entries that nobody asks for', () => {
    expect(chosen({})[0]).toBe('https://one');
  });
});

describe('no target is found', () => {
  it.each([
    ['for an unknown context', { context: 'nope' }],
    ['for an unknown cluster', { cluster: 'nope' }],
    ['for an unknown user', { user: 'nope' }],
    ['for a context without a cluster', { context: 'no-cluster' }],
    ['for a context whose cluster does not exist', { context: 'lost-cluster' }],
    ['for a context whose user does not exist', { context: 'lost-user' }],
    ['for a cluster with a field of a wrong kind', { cluster: 'broken' }],
    ['for a user with a field of a wrong kind', { user: 'broken' }],
  ])('%s', (_name, options) => {
    expect(() => selectTarget(config(), options)).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG', hint: expect.any(String) }),
    );
  });

  it.each([
    ['without a current-context', ''],
    ['with a current-context that does not exist', 'nope'],
  ])('%s, and the contexts there are get listed', (_name, current) => {
    expect(() => selectTarget(config({ 'current-context': current }), {})).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG', hint: expect.stringMatching(/lab.*prod/) }),
    );
  });

  it('in an empty kubeconfig, which is said', () => {
    const empty = config({ 'current-context': 'x', contexts: [] });
    expect(() => selectTarget(empty, {})).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG', hint: expect.stringContaining('none') }),
    );
  });
});

describe('a kubeconfig and the flags name a target', () => {
  const none = config({ 'current-context': '' });

  it.each([{ context: 'x' }, { cluster: 'x' }, { server: 'x' }, { user: 'x' }])('with %j', (options) => {
    expect(namesTarget(none, options)).toBe(true);
  });

  it('with a current-context', () => {
    expect(namesTarget(config(), {})).toBe(true);
  });

  it('but not with flags that only adjust one', () => {
    expect(namesTarget(none, { token: 't', as: 'a', namespace: 'n', tlsServerName: 's' })).toBe(false);
  });
});
