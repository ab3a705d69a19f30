// What a credential plugin answers; what it is told is compared with kubectl in test/contract.
import { describe, expect, it } from 'vitest';
import { decodeExecCredential, encodeExecInfo } from '../../../proto/kube/config/exec-credential.ts';
import type { ExecEntry } from '../../../proto/kube/config/exec-entry.ts';
import { PEM } from '../../support/kubeconfig-ports.ts';

const V1 = 'client.authentication.k8s.io/v1';
const exec: ExecEntry = {
  apiVersion: V1,
  command: 'plugin',
  args: [],
  env: {},
  installHint: '',
  provideClusterInfo: false,
  interactiveMode: 'Never',
  where: 'it',
};
const reply = (status: unknown, rest: object = {}) =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion: V1, status, ...rest });

describe('an answer', () => {
  it('with a token signs in until it expires', () => {
    const text = reply({ token: 't', expirationTimestamp: '2026-01-02T03:04:05Z' });
    expect(decodeExecCredential(text, exec)).toEqual({
      authorization: 'Bearer t',
      expires: Date.UTC(2026, 0, 2, 3, 4, 5),
    });
  });

  it('understands times with an offset', () => {
    const text = reply({ token: 't', expirationTimestamp: '2026-01-02T03:04:05.5+01:00' });
    expect(decodeExecCredential(text, exec).expires).toBe(Date.UTC(2026, 0, 2, 2, 4, 5, 500));
  });

  it('without an end never expires', () => {
    expect(decodeExecCredential(reply({ token: 't' }), exec).expires).toBe(Number.POSITIVE_INFINITY);
    expect(decodeExecCredential(reply({ token: 't', expirationTimestamp: null }), exec).expires).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it('with a certificate gives it and its key', () => {
    const text = reply({ clientCertificateData: PEM.cert, clientKeyData: PEM.key });
    expect(decodeExecCredential(text, exec)).toMatchObject({ cert: PEM.cert, key: PEM.key });
    expect(decodeExecCredential(text, exec)).not.toHaveProperty('authorization');
  });

  it('may give both', () => {
    const text = reply({ token: 't', clientCertificateData: PEM.cert, clientKeyData: PEM.key });
    expect(decodeExecCredential(text, exec)).toMatchObject({ authorization: 'Bearer t', cert: PEM.cert });
  });

  it.each([
    ['that is empty', ''],
    ['that is no JSON', 'Please sign in\n{}'],
    ['that is text', '"x"'],
    ['that is null', 'null'],
    ['of another kind', reply({ token: 't' }, { kind: 'Secret' })],
    ['of another version', reply({ token: 't' }, { apiVersion: `${V1}beta1` })],
    ['without a status', reply(undefined)],
    ['with an empty status', reply({})],
    ['with a status that is null', reply(null)],
    ['with a certificate only', reply({ clientCertificateData: PEM.cert })],
    ['with a key only', reply({ token: 't', clientKeyData: PEM.key })],
    ['with a token that is a number', reply({ token: 5 })],
    ['with a token that no header may hold', reply({ token: 'a\nb' })],
    ['with an end that is no time', reply({ token: 't', expirationTimestamp: 'soon' })],
    ['with an end that is a number', reply({ token: 't', expirationTimestamp: 5 })],
  ])('%s is refused', (_name, text) => {
    expect(() => decodeExecCredential(text, exec)).toThrow(
      expect.objectContaining({ code: 'EXEC_CREDENTIAL', hint: expect.any(String) }),
    );
  });

  it('is never quoted in errors', () => {
    expect(() => decodeExecCredential(reply({ token: 's3cret token' }), exec)).not.toThrow(/s3cret/);
    expect(() => decodeExecCredential('s3cret', exec)).not.toThrow(/s3cret/);
  });
});

describe('the question', () => {
  it('says whether the plugin may talk to a person', () => {
    const entry = {
      server: 'https://s',
      tlsServerName: '',
      insecureSkipTlsVerify: false,
      certificateAuthority: '',
      certificateAuthorityData: '',
      proxyUrl: '',
      disableCompression: false,
      execConfig: undefined,
      where: 'it',
    };
    const spec = (interactive: boolean) =>
      JSON.parse(encodeExecInfo(exec, interactive, { entry, certificateAuthority: '' })).spec;
    expect(spec(true)).toEqual({ interactive: true });
    expect(spec(false)).toEqual({ interactive: false });
  });
});
