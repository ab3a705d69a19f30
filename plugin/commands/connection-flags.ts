// The flags of kubectl that say which server to ask, as whom, and how patiently. Names and letters are kubectl's.
import type { Verb } from './command.ts';
import type { Flag } from './flag.ts';

export const CONNECTION_FLAGS: readonly Flag[] = [
  { name: 'kubeconfig', kind: 'text', completes: 'file', about: 'Path of the kubeconfig file' },
  { name: 'context', kind: 'text', completes: 'context', about: 'Name of the kubeconfig context' },
  { name: 'cluster', kind: 'text', about: 'Name of the kubeconfig cluster' },
  { name: 'user', kind: 'text', about: 'Name of the kubeconfig user' },
  { name: 'server', short: 's', kind: 'text', about: 'Address of the API server' },
  { name: 'token', kind: 'text', about: 'Bearer token' },
  { name: 'as', kind: 'text', about: 'User to impersonate' },
  { name: 'as-group', kind: 'texts', about: 'Group to impersonate; may be repeated' },
  { name: 'as-uid', kind: 'text', about: 'UID to impersonate' },
  {
    name: 'certificate-authority',
    kind: 'text',
    completes: 'file',
    about: 'File with the certificate authorities of the server',
  },
  { name: 'client-certificate', kind: 'text', completes: 'file', about: 'File with the client certificate' },
  {
    name: 'client-key',
    kind: 'text',
    completes: 'file',
    about: 'File with the key of the client certificate',
  },
  { name: 'tls-server-name', kind: 'text', about: 'Name to expect in the certificate of the server' },
  {
    name: 'insecure-skip-tls-verify',
    kind: 'switch',
    about: 'Do not check the certificate of the server; anyone in between can read and change everything',
  },
  { name: 'proxy-url', kind: 'text', about: 'URL of the HTTP proxy in front of the server' },
  { name: 'request-timeout', kind: 'text', about: 'Longest time for one request, e.g. 10s; 0 for no limit' },
  { name: 'v', short: 'v', kind: 'text', about: 'Log level; 6 and more print each request to stderr' },
];

export function connectionFlagsOf(verb: Verb): readonly Flag[] {
  return verb.isLocal ? [] : CONNECTION_FLAGS;
}
