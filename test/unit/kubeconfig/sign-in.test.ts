// Which of several ways to sign in is used.
import { describe, expect, it } from 'vitest';
import { decodeCluster } from '../../../proto/kube/config/cluster-entry.ts';
import { Section } from '../../../proto/kube/config/section.ts';
import { signIn } from '../../../proto/kube/config/sign-in.ts';
import { decodeUser } from '../../../proto/kube/config/user-entry.ts';
import { base64, credential, fakePorts, PEM } from '../../support/kubeconfig-ports.ts';

const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'p', interactiveMode: 'Never' };

function source(user: object, ports = fakePorts({ '/token': 'file' })) {
  ports.answers.push(credential({ token: 'plugin' }));
  const entry = (values: object) => ({ body: new Section(values, 'it'), file: '/config' });
  const cluster = { entry: decodeCluster(entry({})), certificateAuthority: '' };
  return signIn(decodeUser(entry(user)), cluster, {}, ports);
}

describe('a request is signed in', () => {
  it.each([
    ['not at all for nobody', {}, undefined],
    ['with a token', { token: 't' }, 'Bearer t'],
    ['with a token that has a line end', { token: 't\n' }, 'Bearer t'],
    ['with a token file', { tokenFile: 'token' }, 'Bearer file'],
    ['with the file when a token is there as well', { token: 't', tokenFile: 'token' }, 'Bearer file'],
    ['with the token when its file is gone', { token: 't', tokenFile: 'gone' }, 'Bearer t'],
    ['with name and password', { username: 'bob', password: 'pä:ss' }, `Basic ${base64('bob:pä:ss')}`],
    ['with a name alone', { username: 'bob' }, `Basic ${base64('bob:')}`],
    ['with a plugin', { exec }, 'Bearer plugin'],
    ['with a token instead of a plugin', { exec, token: 't' }, 'Bearer t'],
    ['with a password instead of a plugin', { exec, username: 'bob' }, `Basic ${base64('bob:')}`],
    [
      'with a certificate instead of a plugin',
      { exec, 'client-certificate-data': base64(PEM.cert) },
      undefined,
    ],
  ])('%s', async (_name, user, authorization) => {
    expect((await source(user).current()).authorization).toBe(authorization);
  });

  it('by a plugin that is not run before it is needed', async () => {
    const ports = fakePorts();
    const plugin = source({ exec }, ports);
    expect(ports.plugins).toEqual([]);
    await plugin.current();
    expect(ports.plugins).toHaveLength(1);
  });

  it.each([
    ['nothing', {}, false],
    ['a token', { token: 't' }, false],
    ['a password', { username: 'bob' }, false],
    ['a token file', { tokenFile: 'token' }, true],
    ['a plugin', { exec }, true],
  ])('after a refusal with %s, trying again makes sense: %s', (_name, user, again) => {
    expect(source(user).invalidate()).toBe(again);
  });
});

describe('signing in is refused', () => {
  it.each([
    ['for an auth provider', { 'auth-provider': { name: 'oidc' } }],
    ['for an auth provider beside a plugin', { 'auth-provider': { name: 'gcp' }, exec }],
    ['for a token and a password', { token: 't', username: 'bob' }],
    ['for a token with a space', { token: 'a b' }],
    ['for a token with a line end inside', { token: 'a\r\nX-Evil: 1' }],
    ['for a token beyond ASCII', { token: 'ключ' }],
    ['for a token of spaces', { token: '  ' }],
  ])('%s', (_name, user) => {
    expect(() => source(user)).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG', hint: expect.any(String) }),
    );
  });

  it('for an auth provider with the advice to use a plugin', () => {
    expect(() => source({ 'auth-provider': { name: 'oidc' } })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('exec plugin') }),
    );
  });
});
