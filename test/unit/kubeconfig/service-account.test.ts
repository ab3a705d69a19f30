// Programs that run in the cluster.
import { describe, expect, it } from 'vitest';
import { loadedNamespace } from '../../../proto/kube/config/loaded-namespace.ts';
import { findServiceAccount } from '../../../proto/kube/config/service-account.ts';
import { fakePorts } from '../../support/kubeconfig-ports.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const mounted = { [`${FOLDER}/token`]: 't', [`${FOLDER}/namespace`]: 'agents\n' };

describe('a service account', () => {
  it('is found by two variables and a token', async () => {
    const account = await findServiceAccount(env, fakePorts(mounted));
    expect(account?.cluster.body.text('server')).toBe('https://10.96.0.1:443');
  });

  it('is found where addresses are IPv6', async () => {
    const account = await findServiceAccount(
      { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' },
      fakePorts(mounted),
    );
    expect(account?.cluster.body.text('server')).toBe('https://[fd00::1]:443');
  });

  it.each([
    ['without the host', { KUBERNETES_SERVICE_PORT: '443' }, mounted],
    ['without the port', { KUBERNETES_SERVICE_HOST: 'h' }, mounted],
    ['with empty variables', { KUBERNETES_SERVICE_HOST: '', KUBERNETES_SERVICE_PORT: '' }, mounted],
    ['without a token', env, {}],
    ['with an empty token', env, { [`${FOLDER}/token`]: '' }],
  ])('is not there %s', async (_name, variables, files) => {
    expect(await findServiceAccount(variables, fakePorts(files))).toBeUndefined();
  });
});

describe('the namespace is', () => {
  it.each([
    ['that of the flag', 'flag', 'context', env, 'flag'],
    ['that of the context', undefined, 'context', env, 'context'],
    ['that of the context when the flag is empty', '', 'context', env, 'context'],
    ['that of the pod', undefined, '', env, 'agents'],
    ['that of POD_NAMESPACE before the file', undefined, '', { ...env, POD_NAMESPACE: 'mine' }, 'mine'],
    ['default outside a cluster', undefined, '', {}, 'default'],
    [
      'default outside a cluster whatever POD_NAMESPACE says',
      undefined,
      '',
      { POD_NAMESPACE: 'mine' },
      'default',
    ],
  ])('%s', async (_name, flag, context, variables, expected) => {
    expect(await loadedNamespace(flag, context, variables, fakePorts(mounted))).toBe(expected);
  });

  it('default in a pod without the file', async () => {
    expect(await loadedNamespace(undefined, '', env, fakePorts())).toBe('default');
  });

  it('known without reading a file when flag or context say it', async () => {
    const ports = fakePorts(mounted);
    await loadedNamespace(undefined, 'context', env, ports);
    expect(ports.reads).toEqual([]);
  });
});
