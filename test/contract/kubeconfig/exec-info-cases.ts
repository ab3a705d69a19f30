// Clusters and flags whose KUBERNETES_EXEC_INFO is compared with what kubectl gives to the same plugin.
import { readFileSync } from 'node:fs';

export interface ExecInfoCase {
  readonly name: string;
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly exec: Readonly<Record<string, unknown>>;
  /** kubectl's spelling. */
  readonly flags?: readonly string[];
  /** Our spelling of the same flags. */
  readonly options?: Readonly<Record<string, string | boolean>>;
}

const CA = readFileSync(new URL('../../fixtures/kubeconfig/ca.crt', import.meta.url)).toString('base64');
const V1 = { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };
const INFORMED = { ...V1, provideClusterInfo: true };

export const EXEC_INFO_CASES: readonly ExecInfoCase[] = [
  { name: 'v1 without cluster', cluster: { server: 'https://127.0.0.1:1' }, exec: V1 },
  {
    name: 'v1beta1 without cluster',
    cluster: { server: 'https://127.0.0.1:1' },
    exec: { apiVersion: 'client.authentication.k8s.io/v1beta1' },
  },
  {
    name: 'a terminal that is not there',
    cluster: { server: 'https://127.0.0.1:1' },
    exec: { ...V1, interactiveMode: 'IfAvailable' },
  },
  {
    name: 'every field of the cluster',
    cluster: {
      server: 'https://127.0.0.1:1/prefix',
      'tls-server-name': 'api.example.com',
      'certificate-authority-data': CA,
      'proxy-url': 'http://127.0.0.1:2',
      'disable-compression': true,
      extensions: [
        {
          name: 'client.authentication.k8s.io/exec',
          extension: { audience: 'vms', deep: { n: 3 }, list: [1] },
        },
        { name: 'other', extension: { no: true } },
      ],
    },
    exec: INFORMED,
  },
  {
    name: 'an insecure cluster',
    cluster: { server: 'https://127.0.0.1:1', 'insecure-skip-tls-verify': true, extensions: [] },
    exec: INFORMED,
  },
  {
    name: 'a server given by flag drops the TLS name',
    cluster: { server: 'https://127.0.0.1:3', 'tls-server-name': 'api.example.com' },
    exec: INFORMED,
    flags: ['--server', 'https://127.0.0.1:1'],
    options: { server: 'https://127.0.0.1:1' },
  },
  {
    name: 'not verifying, given by flag, drops the CA',
    cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': CA },
    exec: INFORMED,
    flags: ['--insecure-skip-tls-verify', '--tls-server-name', 'x.example.com'],
    options: { insecureSkipTlsVerify: true, tlsServerName: 'x.example.com' },
  },
];
