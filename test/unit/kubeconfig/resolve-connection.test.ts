// From flags, environment and files to one connection.
import { describe, expect, it } from 'vitest';
import { resolveConnection } from '../../../proto/kube/config/resolve-connection.ts';
import { base64, credential, fakePorts, kubeconfig, PEM } from '../../support/kubeconfig-ports.ts';

const HOME = '/home/x/.kube/config';
const env = { HOME: '/home/x' };
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const mounted = {
  [`${FOLDER}/token`]: 'pod',
  [`${FOLDER}/ca.crt`]: PEM.ca,
  [`${FOLDER}/namespace`]: 'agents',
};
const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './p', interactiveMode: 'Never' };

describe('a connection of the kubeconfig in the home folder', () => {
  it('has everything that a client needs', async () => {
    const cluster = {
      'certificate-authority-data': base64(PEM.ca),
      'tls-server-name': 'k8s',
      'proxy-url': 'http://p:1',
    };
    const ports = fakePorts({ [HOME]: kubeconfig(cluster, { token: 't', as: 'bob' }, { namespace: 'vms' }) });
    const connection = await resolveConnection({}, env, ports);
    expect(connection).toMatchObject({
      server: 'https://10.0.0.1:6443',
      tls: { ca: PEM.ca, servername: 'k8s' },
      proxy: 'http://p:1',
      namespace: 'vms',
      source: `context lab of ${HOME}`,
    });
    expect(await connection.credentials()).toEqual({
      headers: { Authorization: 'Bearer t', 'Impersonate-User': 'bob' },
    });
    expect(connection.invalidate()).toBe(false);
  });

  it('has no more than that when there is no more', async () => {
    const connection = await resolveConnection({}, env, fakePorts({ [HOME]: kubeconfig() }));
    expect(connection).toMatchObject({ tls: {}, namespace: 'default' });
    expect(connection).not.toHaveProperty('proxy');
    expect(await connection.credentials()).toEqual({ headers: {} });
  });

  it('does what the flags say', async () => {
    const ports = fakePorts({ [HOME]: kubeconfig({}, { exec }, { namespace: 'vms' }), '/x.crt': PEM.ca });
    const connection = await resolveConnection(
      {
        server: 'https://other:1/',
        token: 'flag',
        as: 'bob',
        asGroup: ['g'],
        asUid: '7',
        namespace: 'mine',
        certificateAuthority: '/x.crt',
        tlsServerName: 'n',
        proxyUrl: 'http://q:2',
      },
      env,
      ports,
    );
    expect(connection).toMatchObject({
      server: 'https://other:1',
      tls: { ca: PEM.ca, servername: 'n' },
      proxy: 'http://q:2',
      namespace: 'mine',
    });
    expect(await connection.credentials()).toEqual({
      headers: {
        Authorization: 'Bearer flag',
        'Impersonate-User': 'bob',
        'Impersonate-Uid': '7',
        'Impersonate-Group': ['g'],
      },
    });
    expect(ports.plugins).toEqual([]);
  });

  it('goes through the proxy of the environment', async () => {
    const ports = fakePorts({ [HOME]: kubeconfig() });
    const variables = { ...env, HTTPS_PROXY: 'http://p:1' };
    expect((await resolveConnection({}, variables, ports)).proxy).toBe('http://p:1');
    expect(await resolveConnection({}, { ...variables, NO_PROXY: '10.0.0.0/8' }, ports)).not.toHaveProperty(
      'proxy',
    );
  });

  it('signs in through a plugin beside the kubeconfig and takes its certificate', async () => {
    const ports = fakePorts({ [HOME]: kubeconfig({}, { exec }) });
    ports.answers.push(credential({ token: 't', clientCertificateData: PEM.cert, clientKeyData: PEM.key }));
    const connection = await resolveConnection({}, env, ports);
    expect(ports.plugins).toEqual([]);
    expect(await connection.credentials()).toEqual({
      headers: { Authorization: 'Bearer t' },
      cert: PEM.cert,
      key: PEM.key,
    });
    expect(ports.plugins[0]?.command).toBe('/home/x/.kube/p');
    expect(connection.invalidate()).toBe(true);
  });

  it('tells the plugin the CA that was read from a file', async () => {
    const cluster = { 'certificate-authority': 'ca.crt' };
    const ports = fakePorts({
      [HOME]: kubeconfig(cluster, { exec: { ...exec, provideClusterInfo: true } }),
      '/home/x/.kube/ca.crt': PEM.ca,
    });
    ports.answers.push(credential({ token: 't' }));
    await (await resolveConnection({}, env, ports)).credentials();
    expect(JSON.parse(ports.plugins[0]?.env.KUBERNETES_EXEC_INFO ?? '').spec.cluster).toMatchObject({
      server: 'https://10.0.0.1:6443',
      'certificate-authority-data': base64(PEM.ca),
    });
  });
});

describe('a server without TLS', () => {
  const plain = { server: 'http://127.0.0.1:8001' };

  it('gets no credential, runs no plugin and reads no certificate', async () => {
    const user = { exec, 'client-certificate': 'gone', 'client-key': 'gone' };
    const ports = fakePorts({ [HOME]: kubeconfig({ ...plain, 'certificate-authority': 'gone' }, user) });
    const connection = await resolveConnection({ token: 'flag' }, env, ports);
    expect(connection).toMatchObject({ server: 'http://127.0.0.1:8001', tls: {} });
    expect(await connection.credentials()).toEqual({ headers: {} });
    expect(ports.plugins).toEqual([]);
    expect(ports.reads).toEqual([HOME]);
  });

  it('still gets impersonation, as from kubectl', async () => {
    const ports = fakePorts({ [HOME]: kubeconfig(plain, {}) });
    const connection = await resolveConnection({ as: 'bob' }, env, ports);
    expect(await connection.credentials()).toEqual({ headers: { 'Impersonate-User': 'bob' } });
  });
});

describe('several kubeconfigs', () => {
  it('serve as one, each with paths of its own', async () => {
    const ports = fakePorts({
      '/one/config': JSON.stringify({ users: [{ name: 'u', user: { tokenFile: 'token' } }] }),
      '/one/token': 'first',
      '/two/config': kubeconfig({ 'certificate-authority': 'ca.crt' }, { token: 'second' }),
      '/two/ca.crt': PEM.ca,
    });
    const connection = await resolveConnection({}, { KUBECONFIG: '/one/config:/gone:/two/config' }, ports);
    expect(connection).toMatchObject({ tls: { ca: PEM.ca }, source: 'context lab of /two/config' });
    expect((await connection.credentials()).headers).toEqual({ Authorization: 'Bearer first' });
  });

  it('are not read beside the file of --kubeconfig', async () => {
    const ports = fakePorts({ '/only': kubeconfig({}, { token: 't' }), [HOME]: 'garbled: [' });
    await resolveConnection({ kubeconfig: '/only' }, { ...env, KUBECONFIG: HOME }, ports);
    expect(ports.reads).toEqual(['/only']);
  });
});

describe('in a pod', () => {
  it('the service account serves when there is no kubeconfig', async () => {
    const ports = fakePorts(mounted);
    const connection = await resolveConnection({}, { ...env, ...inPod }, ports);
    expect(connection).toMatchObject({
      server: 'https://10.96.0.1',
      tls: { ca: PEM.ca },
      namespace: 'agents',
      source: "the pod's service account",
    });
    expect((await connection.credentials()).headers).toEqual({ Authorization: 'Bearer pod' });
    ports.files.set(`${FOLDER}/token`, 'renewed');
    ports.time += 60_000;
    expect((await connection.credentials()).headers).toEqual({ Authorization: 'Bearer renewed' });
  });

  it('the service account serves when the kubeconfig chooses nothing', async () => {
    const ports = fakePorts({ ...mounted, [HOME]: 'kind: Config\ncurrent-context: ""\n' });
    expect((await resolveConnection({}, { ...env, ...inPod }, ports)).server).toBe('https://10.96.0.1');
  });

  it('the service account may act as someone else', async () => {
    const connection = await resolveConnection({ as: 'bob', token: 't' }, inPod, fakePorts(mounted));
    expect((await connection.credentials()).headers).toEqual({
      Authorization: 'Bearer t',
      'Impersonate-User': 'bob',
    });
  });

  it('a kubeconfig comes first, with the namespace of the pod when it has none', async () => {
    const ports = fakePorts({ ...mounted, [HOME]: kubeconfig() });
    expect(await resolveConnection({}, { ...env, ...inPod }, ports)).toMatchObject({
      server: 'https://10.0.0.1:6443',
      namespace: 'agents',
    });
  });

  it('the token of the pod never goes to a server given by flag', async () => {
    const connection = await resolveConnection({ server: 'https://evil' }, inPod, fakePorts(mounted));
    expect(await connection.credentials()).toEqual({ headers: {} });
  });

  it('an empty file of --kubeconfig is an error and not a reason to use the service account', async () => {
    const ports = fakePorts({ ...mounted, '/empty': '' });
    await expect(resolveConnection({ kubeconfig: '/empty' }, inPod, ports)).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
    });
  });

  it('a CA that is missing is an error', async () => {
    const { [`${FOLDER}/ca.crt`]: _, ...rest } = mounted;
    await expect(resolveConnection({}, inPod, fakePorts(rest))).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
    });
  });
});

describe('no connection', () => {
  it.each([
    ['without any kubeconfig', {}, env, {}],
    ['without a home folder', {}, {}, {}],
    ['when every file of KUBECONFIG is missing', {}, { KUBECONFIG: '/a:/b' }, {}],
    ['when the file of --kubeconfig is missing', { kubeconfig: '/a' }, env, { [HOME]: kubeconfig() }],
    ['without a current-context', {}, env, { [HOME]: 'kind: Config\n' }],
    ['for an unknown context', { context: 'nope' }, env, { [HOME]: kubeconfig() }],
    ['for a context that no file has', { context: 'lab' }, env, {}],
    ['to a cluster without a server', {}, env, { [HOME]: kubeconfig({ server: '' }) }],
    ['to a server without a scheme', {}, env, { [HOME]: kubeconfig({ server: '10.0.0.1:6443' }) }],
    ['through a proxy that is unusable', { proxyUrl: 'socks5://h:1' }, env, { [HOME]: kubeconfig() }],
    ['with groups but no user to act as', { asGroup: ['g'] }, env, { [HOME]: kubeconfig() }],
    ['through an auth provider', {}, env, { [HOME]: kubeconfig({}, { 'auth-provider': { name: 'oidc' } }) }],
    ['with bad base64', {}, env, { [HOME]: kubeconfig({ 'certificate-authority-data': '!' }) }],
    ['from a garbled file', {}, env, { [HOME]: 'users: [' }],
  ])('%s', async (_name, options, variables, files) => {
    await expect(resolveConnection(options, variables, fakePorts(files))).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
      hint: expect.any(String),
    });
  });

  it('and the places that were looked at are named', async () => {
    await expect(resolveConnection({}, { KUBECONFIG: '/a:/b' }, fakePorts())).rejects.toMatchObject({
      message: expect.stringMatching(/\/a.*\/b/),
    });
  });
});
