// What flags change in the chosen cluster and user.
import { describe, expect, it } from 'vitest';
import type { ClusterEntry } from '../../../proto/kube/config/cluster-entry.ts';
import { overrideCluster, overrideUser } from '../../../proto/kube/config/flag-overrides.ts';
import { Section } from '../../../proto/kube/config/section.ts';
import { decodeUser, type UserEntry } from '../../../proto/kube/config/user-entry.ts';

const cluster: ClusterEntry = {
  server: 'https://s',
  tlsServerName: 'name',
  insecureSkipTlsVerify: false,
  certificateAuthority: '/ca.crt',
  certificateAuthorityData: 'CA',
  proxyUrl: 'http://p',
  disableCompression: false,
  execConfig: undefined,
  where: 'it',
};
const user: UserEntry = {
  ...decodeUser({ body: new Section({}, 'it'), file: '' }),
  clientCertificate: '/c.crt',
  clientCertificateData: 'CERT',
  clientKey: '/c.key',
  clientKeyData: 'KEY',
  tokenFile: '/token',
  username: 'n',
  password: 'p',
  authProvider: 'oidc',
  as: 'alice',
  asUid: '1',
  asGroups: ['g'],
  asExtra: { k: ['v'] },
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'x',
    args: [],
    env: {},
    installHint: '',
    provideClusterInfo: false,
    interactiveMode: 'Never',
    where: 'it',
  },
};

describe('a cluster', () => {
  it('stays as it is without flags, and with empty ones', () => {
    expect(overrideCluster(cluster, {})).toEqual(cluster);
    expect(overrideCluster(cluster, { server: '', proxyUrl: '', insecureSkipTlsVerify: false })).toEqual(
      cluster,
    );
  });

  it.each([
    [
      '--server, which drops the TLS name',
      { server: 'https://x' },
      { server: 'https://x', tlsServerName: '' },
    ],
    ['--tls-server-name', { tlsServerName: 'n' }, { tlsServerName: 'n' }],
    [
      '--server and --tls-server-name',
      { server: 'https://x', tlsServerName: 'n' },
      { server: 'https://x', tlsServerName: 'n' },
    ],
    [
      '--insecure-skip-tls-verify, which drops the CA',
      { insecureSkipTlsVerify: true },
      { insecureSkipTlsVerify: true, certificateAuthority: '', certificateAuthorityData: '' },
    ],
    [
      '--certificate-authority, which drops the CA data',
      { certificateAuthority: '/x.crt' },
      { certificateAuthority: '/x.crt', certificateAuthorityData: '' },
    ],
    ['--proxy-url', { proxyUrl: 'http://x' }, { proxyUrl: 'http://x' }],
  ])('takes %s', (_name, options, changed) => {
    expect(overrideCluster(cluster, options)).toEqual({ ...cluster, ...changed });
  });

  it('is verified again by --certificate-authority', () => {
    const insecure = { ...cluster, insecureSkipTlsVerify: true };
    expect(overrideCluster(insecure, { certificateAuthority: '/x' }).insecureSkipTlsVerify).toBe(false);
  });
});

describe('a user', () => {
  const { exec, ...withoutExec } = user;

  it('stays as it is without flags, and with empty ones', () => {
    expect(overrideUser(user, {})).toEqual(user);
    expect(overrideUser(user, { token: '', as: '', asGroup: [], clientKey: '' })).toEqual(user);
  });

  it('signs in with --token and nothing else', () => {
    expect(overrideUser(user, { token: 't' })).toEqual({
      ...withoutExec,
      token: 't',
      tokenFile: '',
      username: '',
      password: '',
      authProvider: '',
    });
  });

  it.each([
    [
      '--client-certificate',
      { clientCertificate: '/x' },
      { clientCertificate: '/x', clientCertificateData: '' },
    ],
    ['--client-key', { clientKey: '/x' }, { clientKey: '/x', clientKeyData: '' }],
    ['--as, keeping groups and extra as kubectl does', { as: 'bob' }, { as: 'bob' }],
    ['--as-uid', { asUid: '2' }, { asUid: '2' }],
    ['--as-group, replacing all groups', { asGroup: ['x', 'y'] }, { asGroups: ['x', 'y'] }],
  ])('takes %s', (_name, options, changed) => {
    expect(overrideUser(user, options)).toEqual({ ...user, ...changed });
  });
});
