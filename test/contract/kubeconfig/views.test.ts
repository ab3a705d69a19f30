// What our reader takes from a kubeconfig is what `kubectl config view` shows of it.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClusterEntry } from '../../../proto/kube/config/cluster-entry.ts';
import { hostPorts } from '../../../proto/kube/config/host-ports.ts';
import { loadKubeconfigs } from '../../../proto/kube/config/kubeconfig-files.ts';
import { mergeKubeconfigs } from '../../../proto/kube/config/merged-kubeconfig.ts';
import { selectTarget } from '../../../proto/kube/config/target.ts';
import type { UserEntry } from '../../../proto/kube/config/user-entry.ts';
import { VIEW_CASES } from './view-cases.ts';

const fixtures = new URL('../../fixtures/kubeconfig/', import.meta.url).pathname;

interface View {
  clusters: { cluster: Record<string, unknown> }[];
  users: { user: { exec?: Record<string, unknown> } & Record<string, unknown> }[];
  contexts: { context: { namespace?: string } }[];
}
const views: Record<string, View> = JSON.parse(readFileSync(join(fixtures, 'kubectl-views.json'), 'utf8'));

const base64 = (pem: string) => Buffer.from(pem).toString('base64');

/** Drops what Go leaves out: empty text, false, empty lists and mappings. */
function filled(values: Record<string, unknown>): Record<string, unknown> {
  const empty = (value: unknown) =>
    !value || (typeof value === 'object' && Object.keys(value).length === 0) || value === undefined;
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !empty(value)));
}

function clusterView(cluster: ClusterEntry, folder: string) {
  return filled({
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify,
    'certificate-authority': cluster.certificateAuthority && relative(folder, cluster.certificateAuthority),
    'certificate-authority-data': base64(cluster.certificateAuthorityData),
    'proxy-url': cluster.proxyUrl,
    'disable-compression': cluster.disableCompression,
  });
}

function userView(user: UserEntry, folder: string) {
  const path = (text: string) => text && relative(folder, text);
  const { exec } = user;
  return filled({
    'client-certificate': path(user.clientCertificate),
    'client-certificate-data': base64(user.clientCertificateData),
    'client-key': path(user.clientKey),
    'client-key-data': base64(user.clientKeyData),
    token: user.token,
    tokenFile: path(user.tokenFile),
    as: user.as,
    'as-uid': user.asUid,
    'as-groups': user.asGroups,
    'as-user-extra': user.asExtra,
    username: user.username,
    password: user.password,
    exec:
      exec &&
      filled({
        apiVersion: exec.apiVersion,
        command: exec.command,
        args: exec.args,
        env: Object.entries(exec.env).map(([name, value]) => ({ name, value })),
        installHint: exec.installHint,
        provideClusterInfo: exec.provideClusterInfo,
        interactiveMode: exec.interactiveMode,
      }),
  });
}

function kubectlView({ clusters, users, contexts }: View) {
  const { extensions, ...cluster } = clusters[0]?.cluster ?? {};
  const { exec, ...user } = users[0]?.user ?? {};
  return {
    cluster: filled(cluster),
    user: filled({ ...user, exec: exec && filled(exec) }),
    namespace: contexts[0]?.context.namespace ?? '',
  };
}

async function ourView(files: readonly string[], context: string | undefined) {
  const paths = files.map((file) => join(fixtures, file));
  const config = mergeKubeconfigs(await loadKubeconfigs(hostPorts(), { paths, required: false }));
  const { cluster, user, namespace } = selectTarget(config, { context });
  const folder = dirname(paths[0] ?? '');
  return { cluster: clusterView(cluster, folder), user: userView(user, folder), namespace };
}

describe('kubectl config view', () => {
  it.each(VIEW_CASES)('$name', async ({ name, files, context }) => {
    const view = views[name];
    expect(view).toBeDefined();
    expect(await ourView(files, context)).toEqual(view && kubectlView(view));
  });

  it('has a recording for every case and no other', () => {
    expect(Object.keys(views).sort()).toEqual(VIEW_CASES.map(({ name }) => name).sort());
  });
});
