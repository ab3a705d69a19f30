// Cluster, user and exec entries, decoded.
import { describe, expect, it } from 'vitest';
import { decodeCluster } from '../../../proto/kube/config/cluster-entry.ts';
import { pathFrom } from '../../../proto/kube/config/entry-path.ts';
import { decodeExec } from '../../../proto/kube/config/exec-entry.ts';
import { Section } from '../../../proto/kube/config/section.ts';
import { decodeUser } from '../../../proto/kube/config/user-entry.ts';
import { base64, PEM } from '../../support/kubeconfig-ports.ts';

const entry = (values: object) => ({ body: new Section(values, 'it'), file: '/home/x/.kube/config' });
const bad = expect.objectContaining({ code: 'BAD_KUBECONFIG', hint: expect.any(String) });

describe('a path in a kubeconfig', () => {
  it.each([
    ['ca.crt', '/home/x/.kube/ca.crt'],
    ['pki/ca.crt', '/home/x/.kube/pki/ca.crt'],
    ['../ca.crt', '/home/x/ca.crt'],
    ['/etc/ca.crt', '/etc/ca.crt'],
    ['', ''],
  ])('%j is %j', (path, expected) => {
    expect(pathFrom('/home/x/.kube/config', path)).toBe(expected);
  });
});

describe('a cluster', () => {
  it('has all its fields', () => {
    const cluster = decodeCluster(
      entry({
        server: 'https://s',
        'tls-server-name': 'n',
        'insecure-skip-tls-verify': true,
        'certificate-authority': 'ca.crt',
        'certificate-authority-data': base64(PEM.ca),
        'proxy-url': 'http://p',
        'disable-compression': true,
        extensions: [
          { name: 'other', extension: 1 },
          { name: 'client.authentication.k8s.io/exec', extension: { a: [1] } },
        ],
      }),
    );
    expect(cluster).toEqual({
      server: 'https://s',
      tlsServerName: 'n',
      insecureSkipTlsVerify: true,
      certificateAuthority: '/home/x/.kube/ca.crt',
      certificateAuthorityData: PEM.ca,
      proxyUrl: 'http://p',
      disableCompression: true,
      execConfig: { a: [1] },
      where: 'it',
    });
  });

  it('may be empty', () => {
    expect(decodeCluster(entry({}))).toMatchObject({ server: '', execConfig: undefined });
  });
});

describe('a user', () => {
  it('has all its fields', () => {
    const user = decodeUser(
      entry({
        'client-certificate': 'a.crt',
        'client-certificate-data': base64(PEM.cert),
        'client-key': '/b.key',
        'client-key-data': base64(PEM.key),
        token: 't',
        tokenFile: 'token',
        username: 'n',
        password: 'p',
        as: 'bob',
        'as-uid': '7',
        'as-groups': ['g'],
        'as-user-extra': { k: ['v', 'w'] },
        'auth-provider': { name: 'oidc', config: {} },
      }),
    );
    expect(user).toEqual({
      clientCertificate: '/home/x/.kube/a.crt',
      clientCertificateData: PEM.cert,
      clientKey: '/b.key',
      clientKeyData: PEM.key,
      token: 't',
      tokenFile: '/home/x/.kube/token',
      username: 'n',
      password: 'p',
      as: 'bob',
      asUid: '7',
      asGroups: ['g'],
      asExtra: { k: ['v', 'w'] },
      authProvider: 'oidc',
      where: 'it',
    });
  });

  it('may be empty, which is nobody', () => {
    const { where, asGroups, asExtra, ...texts } = decodeUser(entry({}));
    expect(new Set(Object.values(texts))).toEqual(new Set(['']));
    expect({ where, asGroups, asExtra }).toEqual({ where: 'it', asGroups: [], asExtra: {} });
  });

  it('with a nameless auth provider still counts as having one', () => {
    expect(decodeUser(entry({ 'auth-provider': {} })).authProvider).not.toBe('');
  });
});

describe('an exec entry', () => {
  const V1 = 'client.authentication.k8s.io/v1';
  const decode = (values: object) =>
    decodeExec(
      new Section({ apiVersion: V1, command: 'p', interactiveMode: 'Never', ...values }, 'it'),
      '/k/config',
    );

  it('has all its fields', () => {
    const values = {
      args: ['a'],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '' },
      ],
      installHint: 'get it',
      provideClusterInfo: true,
    };
    expect(decode(values)).toEqual({
      apiVersion: V1,
      command: 'p',
      args: ['a'],
      env: { A: '1', B: '' },
      installHint: 'get it',
      provideClusterInfo: true,
      interactiveMode: 'Never',
      where: 'it',
    });
  });

  it.each([
    ['plugin', 'plugin'],
    ['./plugin', '/k/plugin'],
    ['bin/plugin', '/k/bin/plugin'],
    ['../plugin', '/plugin'],
    ['/opt/plugin', '/opt/plugin'],
  ])('finds command %s at %s', (command, expected) => {
    expect(decode({ command }).command).toBe(expected);
  });

  it.each(['Never', 'IfAvailable', 'Always'])('knows the mode %s', (interactiveMode) => {
    expect(decode({ interactiveMode }).interactiveMode).toBe(interactiveMode);
  });

  it('of v1beta1 asks when a terminal is there, unless it says otherwise', () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    expect(decode({ apiVersion, interactiveMode: null }).interactiveMode).toBe('IfAvailable');
    expect(decode({ apiVersion }).interactiveMode).toBe('Never');
  });

  it.each([
    ['without a command', { command: '' }],
    ['without a version', { apiVersion: '' }],
    ['of a version that is gone', { apiVersion: 'client.authentication.k8s.io/v1alpha1' }],
    ['of v1 without a mode', { interactiveMode: '' }],
    ['with an unknown mode', { interactiveMode: 'Sometimes' }],
    ['with a nameless variable', { env: [{ value: 'x' }] }],
    ['with arguments that are numbers', { args: [1] }],
  ])('%s is refused', (_name, values) => {
    expect(() => decode(values)).toThrow(bad);
  });
});
