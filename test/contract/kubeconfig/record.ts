// Records what kubectl makes of the cases beside this file: `node test/contract/kubeconfig/record.ts`. Needs kubectl;
// the tests do not, they compare with the recording. Recorded with kubectl 1.32.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { EXEC_INFO_CASES } from './exec-info-cases.ts';
import { IMPERSONATION_CASES } from './impersonation-cases.ts';
import { PROXY_CASES } from './proxy-cases.ts';
import { VIEW_CASES } from './view-cases.ts';

const fixtures = new URL('../../fixtures/kubeconfig/', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-record-'));

/** A failing kubectl is expected: most cases have no server behind them. */
function kubectl(args: readonly string[], env: Record<string, string>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile('kubectl', args, { env: { PATH: process.env.PATH, HOME: folder, ...env } }, (_error, stdout) =>
    resolve(stdout),
  );
  return promise;
}

function kubeconfig(cluster: object, user: object): string {
  const path = join(folder, 'config');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function recordViews(): Promise<object> {
  const views: Record<string, unknown> = {};
  for (const { name, files, context } of VIEW_CASES) {
    const args = [
      'config',
      'view',
      '--raw',
      '--minify',
      '-o',
      'json',
      ...(context ? ['--context', context] : []),
    ];
    const list = files.map((file) => join(fixtures, file)).join(delimiter);
    views[name] = JSON.parse(await kubectl(args, { KUBECONFIG: list }));
  }
  return views;
}

async function recordExecInfos(): Promise<object> {
  const infos: Record<string, unknown> = {};
  const out = join(folder, 'info');
  const script = join(folder, 'plugin.cjs');
  writeFileSync(
    script,
    `require('fs').writeFileSync(${JSON.stringify(out)}, process.env.KUBERNETES_EXEC_INFO)`,
  );
  for (const { name, cluster, exec, flags = [] } of EXEC_INFO_CASES) {
    const user = { exec: { ...exec, command: process.execPath, args: [script] } };
    await kubectl(['--kubeconfig', kubeconfig(cluster, user), 'get', '--raw', '/version', ...flags], {});
    infos[name] = JSON.parse(readFileSync(out, 'utf8'));
    rmSync(out);
  }
  return infos;
}

async function recordImpersonation(): Promise<object> {
  const headers: Record<string, string[]> = {};
  let seen: string[] = [];
  const server = createHttpServer((request, response) => {
    const raw = request.rawHeaders;
    seen = raw.flatMap((name, i) =>
      i % 2 === 0 && /^(impersonate|authorization)/i.test(name)
        ? [`${name.toLowerCase()}: ${raw[i + 1]}`]
        : [],
    );
    response.end('{}');
  });
  const url = await listen(server);
  for (const { name, user, flags = [] } of IMPERSONATION_CASES) {
    await kubectl(
      ['--kubeconfig', kubeconfig({ server: url }, user), 'get', '--raw', '/version', ...flags],
      {},
    );
    headers[name] = seen.sort();
  }
  server.close();
  return headers;
}

async function recordProxies(): Promise<object> {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections++;
    socket.on('error', () => {}).end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
  });
  const url = await listen(proxy);
  const recorded: unknown[] = [];
  for (const [server, noProxy] of PROXY_CASES) {
    connections = 0;
    const args = ['--server', server, '--token', 't', '--request-timeout', '1s', 'get', '--raw', '/version'];
    await kubectl(args, { HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: noProxy });
    recorded.push([server, noProxy, connections > 0]);
  }
  proxy.close();
  return recorded;
}

for (const [name, record] of Object.entries({
  views: recordViews,
  'exec-infos': recordExecInfos,
  impersonation: recordImpersonation,
  proxies: recordProxies,
})) {
  writeFileSync(join(fixtures, `kubectl-${name}.json`), `${JSON.stringify(await record(), null, 1)}\n`);
}
rmSync(folder, { recursive: true });
