// Writes kubeconfig files that hold their certificates, so that they may be copied.
import { readFileSync, writeFileSync } from 'node:fs';
import type { KeyPair } from './pki.ts';

function base64(file: string): string {
  return readFileSync(file).toString('base64');
}

/** A kubeconfig (in JSON, which is YAML) for one user at one address, `https://...`. */
export function writeKubeconfig(file: string, server: string, authority: KeyPair, user: KeyPair): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'lab', cluster: { server, 'certificate-authority-data': base64(authority.certificate) } },
    ],
    users: [
      {
        name: 'lab',
        user: {
          'client-certificate-data': base64(user.certificate),
          'client-key-data': base64(user.key),
        },
      },
    ],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'lab' } }],
    'current-context': 'lab',
  };
  writeFileSync(file, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
}
