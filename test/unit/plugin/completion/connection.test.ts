// How completion reaches a cluster: without a word to the person, who is in the middle of typing.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Arguments } from '../../../../plugin/run/arguments.ts';
import { connectUnattended, contextNames } from '../../../../plugin/run/connect.ts';
import type { MemoryApi } from '../../../../proto/kube/memory/memory-api.ts';
import { RESOURCE_TYPES } from '../../../../proto/kube/resource-types.ts';
import { type Certificates, makeCertificates } from '../certificates.ts';
import { codeOfPromise } from '../code-of.ts';
import { startLabApi } from '../lab-api.ts';

let folder: string;
let certificates: Certificates;
let api: MemoryApi;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'completion-'));
  certificates = makeCertificates();
  api = await startLabApi({ tls: certificates.server, tokens: { good: 'admin' } });
  await writeFile(join(folder, 'ca.crt'), certificates.ca);
  await writeFile(join(folder, 'config'), kubeconfig());
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

/** Its credential plugin notes whether it has a terminal, and complains. */
function kubeconfig(): string {
  const credential = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'good' },
  });
  const script = `echo "$KUBERNETES_EXEC_INFO" > ${folder}/info; echo log in at example.com >&2; echo '${credential}'`;
  return JSON.stringify({
    'current-context': 'lab',
    contexts: [
      { name: 'lab', context: { cluster: 'c', user: 'u' } },
      { name: 'prod', context: { cluster: 'c', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster: { server: api.url, 'certificate-authority': 'ca.crt' } }],
    users: [
      {
        name: 'u',
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: '/bin/sh',
            args: ['-c', script],
            interactiveMode: 'IfAvailable',
          },
        },
      },
    ],
  });
}

const args = (...given: [string, unknown][]) =>
  new Arguments([['kubeconfig', join(folder, 'config')], ...given]);

describe('connectUnattended', () => {
  it('gets credentials from a plugin that has no terminal and whose words get lost', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const kube = await connectUnattended(args(), {});
    try {
      const { items } = await kube.list(RESOURCE_TYPES.usbNodeStatuses);
      expect(items).toHaveLength(3);
      expect(JSON.parse(await readFile(join(folder, 'info'), 'utf8')).spec.interactive).toBe(false);
      expect(written).not.toHaveBeenCalled();
    } finally {
      kube.close();
      written.mockRestore();
    }
  });

  it('honours the flags on the line', async () => {
    expect(await codeOfPromise(connectUnattended(args(['context', 'nope']), {}))).toBe('BAD_KUBECONFIG');
  });
});

describe('contextNames', () => {
  it('are those of --kubeconfig, else of KUBECONFIG', async () => {
    expect(await contextNames(args(), {})).toEqual(['lab', 'prod']);
    const env = { KUBECONFIG: join(folder, 'config') };
    expect(await contextNames(new Arguments([]), env)).toEqual(['lab', 'prod']);
    expect(await contextNames(new Arguments([]), { HOME: folder })).toEqual([]);
  });
});
