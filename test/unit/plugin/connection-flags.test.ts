// Every connection flag changes what reaches the server, or whether anything does.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTION_FLAGS } from '../../../plugin/commands/connection-flags.ts';
import { root } from '../../../plugin/commands/root.ts';
import { connect } from '../../../plugin/run/connect.ts';
import { parseCall } from '../../../plugin/run/parser.ts';
import type { MemoryApi } from '../../../proto/kube/memory/memory-api.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { type Certificates, makeCertificates } from './certificates.ts';
import { codeOfPromise } from './code-of.ts';
import { startLabApi } from './lab-api.ts';

let folder: string;
let certificates: Certificates;
let secure: MemoryApi;
let mirror: { server: Server; url: string; headers: IncomingHttpHeaders[] };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flags-'));
  certificates = makeCertificates();
  secure = await startLabApi({ tls: certificates.server, tokens: { good: 'admin', other: 'somebody' } });
  mirror = await startMirror();
  await writeFile(join(folder, 'ca.crt'), certificates.ca);
  await writeFile(join(folder, 'config'), JSON.stringify(kubeconfig()));
});
afterAll(async () => {
  await secure.close();
  mirror.server.closeAllConnections();
  mirror.server.close();
  await rm(folder, { recursive: true });
});

/** Keeps the headers of each request and answers with an empty list. */
async function startMirror() {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, answer) => {
    headers.push(request.headers);
    answer.setHeader('content-type', 'application/json');
    answer.end('{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, headers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Two contexts; the current one leads nowhere. */
function kubeconfig() {
  const ca = 'ca.crt';
  return {
    'current-context': 'nowhere',
    contexts: [
      { name: 'nowhere', context: { cluster: 'closed', user: 'nobody' } },
      { name: 'lab', context: { cluster: 'lab', user: 'admin' } },
    ],
    clusters: [
      { name: 'closed', cluster: { server: 'https://127.0.0.1:1' } },
      { name: 'lab', cluster: { server: secure.url, 'certificate-authority': ca } },
    ],
    users: [
      { name: 'nobody', user: {} },
      { name: 'admin', user: { token: 'good' } },
    ],
  };
}

/** Lists nodes as the flags say; undefined when that works. */
async function outcome(...flags: string[]): Promise<string | undefined> {
  const call = parseCall(root, ['usb', 'list', ...flags], 80);
  if (call.kind !== 'run') throw new Error('a help page came instead');
  return codeOfPromise(
    (async () => {
      const kube = await connect(call.args, { HOME: folder }, () => undefined);
      try {
        await kube.list(RESOURCE_TYPES.nodes);
      } finally {
        kube.close();
      }
    })(),
  );
}

const config = () => `--kubeconfig=${folder}/config`;
const ca = () => `--certificate-authority=${folder}/ca.crt`;

describe('connection flags', () => {
  it('--kubeconfig and --context choose the cluster', async () => {
    expect(await outcome(config())).toBe('SERVER_UNREACHABLE');
    expect(await outcome(config(), '--context=lab')).toBeUndefined();
  });

  it('--cluster and --user replace the parts of a context', async () => {
    expect(await outcome(config(), '--cluster=lab')).toBe('UNAUTHENTICATED');
    expect(await outcome(config(), '--cluster=lab', '--user=admin')).toBeUndefined();
    expect(await outcome(config(), '--cluster=lab', '--user=missing')).toBe('BAD_KUBECONFIG');
  });

  it('--server, --token and --certificate-authority work without a kubeconfig', async () => {
    expect(await outcome('-s', secure.url, ca(), '--token=good')).toBeUndefined();
    expect(await outcome('-s', secure.url, ca(), '--token=bad')).toBe('UNAUTHENTICATED');
    expect(await outcome('-s', secure.url, '--token=good')).toBe('CERTIFICATE_UNTRUSTED');
  });

  it('--insecure-skip-tls-verify trusts anyone, and =false does not', async () => {
    expect(await outcome('-s', secure.url, '--token=good', '--insecure-skip-tls-verify')).toBeUndefined();
    expect(await outcome('-s', secure.url, '--token=good', '--insecure-skip-tls-verify=false')).toBe(
      'CERTIFICATE_UNTRUSTED',
    );
  });

  it('--tls-server-name is checked against the certificate', async () => {
    expect(await outcome('-s', secure.url, ca(), '--token=good', '--tls-server-name=other.example')).toBe(
      'CERTIFICATE_UNTRUSTED',
    );
  });

  it('--client-certificate and --client-key are read', async () => {
    const missing = ['--client-certificate=/no/cert', '--client-key=/no/key'];
    expect(await outcome('-s', secure.url, ca(), ...missing)).toBe('BAD_KUBECONFIG');
    await writeFile(join(folder, 'c.crt'), certificates.server.cert);
    await writeFile(join(folder, 'c.key'), certificates.server.key);
    const pair = [`--client-certificate=${folder}/c.crt`, `--client-key=${folder}/c.key`];
    expect(await outcome('-s', secure.url, ca(), ...pair, '--token=good')).toBeUndefined();
  });

  it('--as, --as-group and --as-uid impersonate', async () => {
    const who = ['--as=jane', '--as-group=a', '--as-group=b', '--as-uid=7'];
    expect(await outcome('-s', mirror.url, ...who)).toBeUndefined();
    expect(mirror.headers.at(-1)).toMatchObject({
      'impersonate-user': 'jane',
      'impersonate-group': 'a, b',
      'impersonate-uid': '7',
    });
    expect(await outcome('-s', mirror.url)).toBeUndefined();
    expect(mirror.headers.at(-1)).not.toHaveProperty('impersonate-user');
  });

  it('--proxy-url sends everything through the proxy', async () => {
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const { port } = new URL(secure.url);
      const far = connectSocket(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        far.pipe(socket).pipe(far);
      });
      for (const end of [far, socket]) end.on('error', () => far.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const flags = ['-s', secure.url, ca(), '--token=good', `--proxy-url=http://127.0.0.1:${port}`];
    expect(await outcome(...flags)).toBeUndefined();
    expect(tunnels).toEqual([new URL(secure.url).host]);
    proxy.close();
  });

  it('--request-timeout ends a call, and 0 lets it last', async () => {
    const slow = () => secure.faults.once({ delay: 300 });
    slow();
    const flags = ['-s', secure.url, ca(), '--token=good'];
    expect(await outcome(...flags, '--request-timeout=50ms')).toBe('TIMED_OUT');
    slow();
    expect(await outcome(...flags, '--request-timeout=0')).toBeUndefined();
  });

  it('are all tested here or with the log level', () => {
    expect(CONNECTION_FLAGS.map(({ name }) => name).sort()).toEqual(
      [
        ...[
          'as',
          'as-group',
          'as-uid',
          'certificate-authority',
          'client-certificate',
          'client-key',
          'cluster',
        ],
        ...['context', 'insecure-skip-tls-verify', 'kubeconfig', 'proxy-url', 'request-timeout', 'server'],
        ...['tls-server-name', 'token', 'user', 'v'],
      ].sort(),
    );
  });
});
