// What plugins, servers and proxies see of us is what they see of kubectl.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chooseProxy } from '../../../proto/kube/config/proxy-choice.ts';
import { resolveConnection } from '../../../proto/kube/config/resolve-connection.ts';
import { credential, fakePorts, kubeconfig } from '../../support/kubeconfig-ports.ts';
import { EXEC_INFO_CASES } from './exec-info-cases.ts';
import { IMPERSONATION_CASES } from './impersonation-cases.ts';
import { PROXY_CASES } from './proxy-cases.ts';

function recording<T>(name: string): T {
  const url = new URL(`../../fixtures/kubeconfig/kubectl-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8'));
}

const env = { KUBECONFIG: '/k/config' };

describe('a credential plugin is told the same', () => {
  const infos = recording<Record<string, { apiVersion: string }>>('exec-infos');

  it.each(EXEC_INFO_CASES)('$name', async ({ name, cluster, exec, options = {} }) => {
    const ports = fakePorts({ '/k/config': kubeconfig(cluster, { exec: { ...exec, command: 'plugin' } }) });
    ports.answers.push(credential({ token: 't' }, infos[name]?.apiVersion));
    await (await resolveConnection(options, env, ports)).credentials();
    expect(JSON.parse(ports.plugins[0]?.env.KUBERNETES_EXEC_INFO ?? '')).toEqual(infos[name]);
  });
});

describe('a server gets the same impersonation headers', () => {
  const recorded = recording<Record<string, string[]>>('impersonation');

  it.each(IMPERSONATION_CASES)('$name', async ({ name, user, options = {} }) => {
    const ports = fakePorts({ '/k/config': kubeconfig({ server: 'http://127.0.0.1:1' }, user) });
    const { headers } = await (await resolveConnection(options, env, ports)).credentials();
    const lines = Object.entries(headers).flatMap(([header, values]) =>
      [values].flat().map((value) => `${header.toLowerCase()}: ${value}`),
    );
    expect(lines.sort()).toEqual(recorded[name]);
  });
});

describe('a proxy is used for the same servers', () => {
  const recorded = recording<[server: string, noProxy: string, proxied: boolean][]>('proxies');

  it.each(recorded)('%s with NO_PROXY "%s": %s', (server, noProxy, proxied) => {
    const variables = { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://p:1', NO_PROXY: noProxy };
    expect(chooseProxy(server, '', variables)).toBe(proxied ? 'http://p:1' : undefined);
  });

  it('has a recording for every case', () => {
    expect(recorded.map(([server, noProxy]) => [server, noProxy])).toEqual(PROXY_CASES);
  });
});
