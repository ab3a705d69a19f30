// The merge rules of KUBECONFIG lists.
import { describe, expect, it } from 'vitest';
import { type KubeconfigFile, mergeKubeconfigs } from '../../../proto/kube/config/merged-kubeconfig.ts';
import { Section } from '../../../proto/kube/config/section.ts';

const file = (path: string, values: object): KubeconfigFile => ({ path, root: new Section(values, path) });
const user = (name: string, body: object) => ({ name, user: body });

describe('several kubeconfigs', () => {
  it('give each name the whole entry of the first file that has it', () => {
    const { users } = mergeKubeconfigs([
      file('/1', { users: [user('a', { token: 'one' })] }),
      file('/2', { users: [user('a', { token: 'two', as: 'bob' }), user('b', { token: 'b' })] }),
    ]);
    expect(users.get('a')?.body.text('token')).toBe('one');
    expect(users.get('a')?.body.text('as')).toBe('');
    expect(users.get('a')?.file).toBe('/1');
    expect(users.get('b')?.file).toBe('/2');
    expect(users.size).toBe(2);
  });

  it('take the first current-context there is', () => {
    const files = [
      file('/1', {}),
      file('/2', { 'current-context': 'x' }),
      file('/3', { 'current-context': 'y' }),
    ];
    expect(mergeKubeconfigs(files).currentContext).toBe('x');
  });

  it('keep clusters, contexts and users of one name apart', () => {
    const merged = mergeKubeconfigs([
      file('/1', {
        clusters: [{ name: 'n', cluster: { server: 's' } }],
        contexts: [{ name: 'n', context: { user: 'n' } }],
        users: [user('n', { token: 't' })],
      }),
    ]);
    expect(merged.clusters.get('n')?.body.text('server')).toBe('s');
    expect(merged.contexts.get('n')?.body.text('user')).toBe('n');
    expect(merged.users.get('n')?.body.text('token')).toBe('t');
  });

  it('name an entry and its file in errors', () => {
    const merged = mergeKubeconfigs([file('/1', { users: [user('n', { token: 1 })] })]);
    expect(merged.users.get('n')?.body.where).toBe('user "n" of /1');
  });

  it('may be none', () => {
    expect(mergeKubeconfigs([])).toEqual({
      currentContext: '',
      clusters: new Map(),
      contexts: new Map(),
      users: new Map(),
    });
  });
});

describe('a kubeconfig is refused', () => {
  it.each([
    ['with one name twice', { users: [user('a', {}), user('a', {})] }],
    ['with a list that is a mapping', { clusters: {} }],
    ['with an entry that is text', { contexts: ['lab'] }],
    ['with a name that is a number', { users: [{ name: 7, user: {} }] }],
    ['with a body that is text', { users: [{ name: 'a', user: 'token' }] }],
    ['with a current-context that is a number', { 'current-context': 7 }],
  ])('%s', (_name, values) => {
    expect(() => mergeKubeconfigs([file('/1', values)])).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG' }),
    );
  });
});
