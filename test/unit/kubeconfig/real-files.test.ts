// The real ports: a home folder, certificates and a credential plugin on disk.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostPorts } from '../../../proto/kube/config/host-ports.ts';
import { pluginRunner } from '../../../proto/kube/config/plugin-process.ts';
import { resolveConnection } from '../../../proto/kube/config/resolve-connection.ts';
import { PEM } from '../../support/kubeconfig-ports.ts';

const home = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
const env = { HOME: home, PATH: process.env.PATH };
const messages: string[] = [];
const ports = {
  ...hostPorts(),
  stdinIsTerminal: false,
  runPlugin: pluginRunner({ write: (chunk) => messages.push(Buffer.from(chunk).toString()) }),
};

/** Answers with what it was told, so that the test sees it in the token. */
const PLUGIN = `#!${process.execPath}
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
console.error('signing in');
if (process.env.FAIL) { console.error('no network'); process.exit(9); }
console.log(JSON.stringify({
  kind: 'ExecCredential',
  apiVersion: info.apiVersion,
  status: { token: [process.argv[2], process.env.PROFILE, info.spec.cluster.server, info.spec.interactive].join('|') },
}));
`;

const CONFIG = `apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority: pki/ca.crt
    server: https://10.0.0.1:6443
  name: lab
contexts:
- context:
    cluster: lab
    user: plugin
  name: lab
- context:
    cluster: lab
    user: failing
  name: failing
- context:
    cluster: lab
    user: file
  name: file
current-context: lab
users:
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - get-token
      command: bin/plugin
      env:
      - name: PROFILE
        value: staging
      provideClusterInfo: true
- name: failing
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/plugin
      env:
      - name: FAIL
        value: "1"
      interactiveMode: Never
      provideClusterInfo: true
- name: file
  user:
    tokenFile: token
`;

beforeAll(() => {
  for (const folder of ['.kube/pki', '.kube/bin']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, '.kube/config'), CONFIG);
  writeFileSync(join(home, '.kube/pki/ca.crt'), PEM.ca);
  writeFileSync(join(home, '.kube/bin/plugin'), PLUGIN);
  writeFileSync(join(home, '.kube/token'), 'from-file\n');
  chmodSync(join(home, '.kube/bin/plugin'), 0o755);
});
afterAll(() => rmSync(home, { recursive: true }));

describe('a home folder on disk', () => {
  it('gives a connection through a plugin named relative to the kubeconfig', async () => {
    const connection = await resolveConnection({}, env, ports);
    expect(connection.tls).toEqual({ ca: PEM.ca });
    expect(await connection.credentials()).toEqual({
      headers: { Authorization: 'Bearer get-token|staging|https://10.0.0.1:6443|false' },
    });
    expect(messages.join('')).toContain('signing in');
  });

  it('shows why a plugin failed', async () => {
    const connection = await resolveConnection({ context: 'failing' }, env, ports);
    await expect(connection.credentials()).rejects.toMatchObject({
      code: 'EXEC_CREDENTIAL',
      message: expect.stringMatching(/ 9: no network$/),
    });
  });

  it('gives a token of a file', async () => {
    const connection = await resolveConnection({ context: 'file' }, env, ports);
    expect((await connection.credentials()).headers).toEqual({ Authorization: 'Bearer from-file' });
  });

  it('without a kubeconfig is an error', async () => {
    await expect(resolveConnection({}, { HOME: join(home, 'gone') }, ports)).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
    });
  });

  it('with a folder in place of a kubeconfig is an error', async () => {
    await expect(resolveConnection({ kubeconfig: home }, env, ports)).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
    });
  });
});

describe('the system', () => {
  it('gives its certificates as PEM, if it has any', async () => {
    const certificates = await ports.systemCertificates();
    expect(certificates.every((pem) => pem.startsWith('-----BEGIN CERTIFICATE-----'))).toBe(true);
  });
});
