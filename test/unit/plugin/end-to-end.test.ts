// The commands against a real server over HTTP and HTTPS: the good case, and one clear error for each way to fail.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../plugin/run/connect.ts';
import { runProgram } from '../../../plugin/run/program.ts';
import type { MemoryApi, MemoryApiOptions } from '../../../proto/kube/memory/memory-api.ts';
import { DEFAULT_KINDS } from '../../../proto/kube/memory/served-kind.ts';
import { type Certificates, makeCertificates } from './certificates.ts';
import { FakeHost } from './fake-host.ts';
import { startLabApi } from './lab-api.ts';
import { DISK } from './lab-facts.ts';

let folder: string;
let certificates: Certificates;
const running: MemoryApi[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plugin-'));
  certificates = makeCertificates();
  await writeFile(join(folder, 'ca.crt'), certificates.ca);
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  for (const api of running.splice(0)) await api.close();
});

async function serve(options: MemoryApiOptions = {}): Promise<MemoryApi> {
  const api = await startLabApi(options);
  running.push(api);
  return api;
}

/** A server that asks who you are: `good` is the administrator. */
function secure(options: MemoryApiOptions = {}): Promise<MemoryApi> {
  return serve({ tls: certificates.server, tokens: { good: 'admin' }, ...options });
}

async function kubectlVirt(...argv: string[]) {
  const host = new FakeHost({
    connect: (args) => connect(args, { HOME: folder }, (line) => host.stderr.write(line)),
  });
  host.time = Date.now();
  const code = await runProgram(argv, host);
  const errors = host.err.match(/^error: .*$/gm) ?? [];
  return { code, out: host.out, err: host.err, errors, error: /\(([A-Z_]+)\)$/.exec(errors[0] ?? '')?.[1] };
}

const trusting = () => ['--token=good', `--certificate-authority=${folder}/ca.crt`];

describe('against a server', () => {
  it('lists, shows and tells versions', async () => {
    const { url } = await serve();
    const list = await kubectlVirt('usb', 'list', '-s', url);
    expect([list.code, list.err]).toEqual([0, '']);
    expect(list.out).toMatch(new RegExp(`^${DISK} .* Attached +pod/web`, 'm'));
    const show = await kubectlVirt('usb', 'show', '0951:1666', `--server=${url}`);
    expect([show.code, show.err]).toEqual([0, '']);
    expect(show.out).toContain('State:    Attached');
    const version = await kubectlVirt('version', `-s=${url}`);
    expect([version.code, version.out.includes('(3 nodes)')]).toEqual([0, true]);
  });

  it('works over TLS with a token', async () => {
    const { url } = await secure();
    const { code, out } = await kubectlVirt('usb', 'list', '-oname', '-s', url, ...trusting());
    expect([code, out.trim().split('\n').length]).toEqual([0, 8]);
  });

  it('reads the server and the token from a kubeconfig', async () => {
    const { url } = await secure();
    const file = join(folder, 'config');
    await writeFile(
      file,
      JSON.stringify({
        'current-context': 'lab',
        contexts: [{ name: 'lab', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority': 'ca.crt' } }],
        users: [{ name: 'u', user: { token: 'good' } }],
      }),
    );
    expect((await kubectlVirt('usb', 'list', '--kubeconfig', file)).code).toBe(0);
    const unknown = await kubectlVirt('usb', 'list', '--kubeconfig', file, '--context=nope');
    expect([unknown.code, unknown.error]).toEqual([2, 'BAD_KUBECONFIG']);
  });

  it('prints requests with their times from -v 6 on', async () => {
    const { url } = await serve();
    const { err } = await kubectlVirt('usb', 'list', '-v6', '-s', url);
    expect(err.match(/^GET http:.* in \d+ ms$/gm)).toHaveLength(6);
    expect((await kubectlVirt('usb', 'list', '-v=5', '-s', url)).err).toBe('');
  });
});

/** Each of these must end in exactly one error with this code. */
function expectOneError(result: Awaited<ReturnType<typeof kubectlVirt>>, error: string, code: number): void {
  expect([result.error, result.code, result.errors.length, result.out]).toEqual([error, code, 1, '']);
  expect(result.err).toMatch(/^hint: /m);
}

describe('one clear error for', () => {
  it('a kubeconfig that is not there', async () => {
    expectOneError(await kubectlVirt('usb', 'list', '--kubeconfig', '/no/such/file'), 'BAD_KUBECONFIG', 2);
  });

  it('a kubeconfig that is no kubeconfig', async () => {
    const file = join(folder, 'broken');
    await writeFile(file, 'clusters: [}');
    expectOneError(await kubectlVirt('usb', 'list', '--kubeconfig', file), 'BAD_KUBECONFIG', 2);
  });

  it('no kubeconfig at all', async () => {
    expectOneError(await kubectlVirt('usb', 'list'), 'BAD_KUBECONFIG', 2);
  });

  it('a server that is down', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const address = closed.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => closed.close(resolve));
    expectOneError(
      await kubectlVirt('usb', 'list', '-s', `http://127.0.0.1:${port}`),
      'SERVER_UNREACHABLE',
      1,
    );
  });

  it('a server that does not answer in time', async () => {
    const { url, faults } = await serve();
    for (let requests = 0; requests < 3; requests++) faults.once({ delay: 2000 });
    expectOneError(await kubectlVirt('usb', 'list', '-s', url, '--request-timeout=100ms'), 'TIMED_OUT', 5);
  });

  it('a certificate of the server that has expired', async () => {
    const { url } = await secure({ tls: certificates.expired });
    expectOneError(await kubectlVirt('usb', 'list', '-s', url, ...trusting()), 'CERTIFICATE_EXPIRED', 4);
  });

  it('a certificate of the server that nobody vouches for', async () => {
    const { url } = await secure();
    expectOneError(await kubectlVirt('usb', 'list', '-s', url, '--token=good'), 'CERTIFICATE_UNTRUSTED', 4);
    const { code } = await kubectlVirt(
      'usb',
      'list',
      '-s',
      url,
      '--token=good',
      '--insecure-skip-tls-verify',
    );
    expect(code).toBe(0);
  });

  it('a token that is not accepted (401)', async () => {
    const { url } = await secure();
    const flags = ['-s', url, ...trusting(), '--token=bad'];
    expectOneError(await kubectlVirt('usb', 'list', ...flags), 'UNAUTHENTICATED', 4);
    expectOneError(await kubectlVirt('usb', 'show', 'x', ...flags), 'UNAUTHENTICATED', 4);
    expectOneError(await kubectlVirt('version', ...flags), 'UNAUTHENTICATED', 4);
  });

  it('a missing right (403)', async () => {
    const { url } = await serve({ authorize: ({ resource }) => resource !== 'usbnodestatuses' });
    expectOneError(await kubectlVirt('usb', 'list', '-s', url), 'FORBIDDEN', 4);
  });

  it('an API that is not served', async () => {
    const kinds = DEFAULT_KINDS.filter(({ plural }) => plural !== 'usbnodestatuses');
    const { url } = await serve({ kinds });
    expectOneError(await kubectlVirt('usb', 'list', '-s', url), 'API_NOT_SERVED', 3);
  });

  it('an answer that breaks off', async () => {
    const { url, faults } = await serve();
    faults.once({ truncate: true }, (_method, path) => path.includes('usbnodestatuses'));
    const { code, errors, out } = await kubectlVirt('usb', 'list', '-s', url);
    expect([code, errors.length, out]).toEqual([1, 1, '']);
  });

  it('a selector that means nothing or several things', async () => {
    const { url } = await serve();
    expectOneError(await kubectlVirt('usb', 'show', 'ffff:ffff', '-s', url), 'DEVICE_NOT_FOUND', 3);
    expectOneError(await kubectlVirt('usb', 'show', '0403:6001', '-s', url), 'AMBIGUOUS', 2);
  });

  it('flags with values that are none', async () => {
    expectOneError(await kubectlVirt('usb', 'list', '--request-timeout=soon'), 'USAGE', 2);
    expectOneError(await kubectlVirt('usb', 'list', '-v', 'loud'), 'USAGE', 2);
  });
});

describe('few rights', () => {
  it('still list the devices when only these may be read', async () => {
    const { url } = await serve({ authorize: ({ resource }) => resource === 'usbnodestatuses' });
    const { code, out, err } = await kubectlVirt('usb', 'list', '--no-headers', '-s', url);
    expect([code, out.trim().split('\n').length]).toEqual([0, 7]);
    expect(err.match(/^note: /gm)).toHaveLength(2);
  });
});
