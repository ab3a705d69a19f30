// Reaching the server: certificates of both sides, proxies, and what is said when it fails.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClusterConnection } from '../../../proto/kube/connection.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { codeOf, connectionTo, take, typedErrorOf } from '../../support/kube-connection.ts';
import { makeCertificate } from '../../support/x509.ts';
import { json, type Script, scriptedServer, statusOf } from './scripted-server.ts';

const HOUR = 3_600_000;
const nodes = { group: '', version: 'v1', plural: 'nodes' };
const node = { metadata: { name: 'a' } };

const ca = makeCertificate({ commonName: 'test-ca', ca: true });
const serving = makeCertificate({ commonName: 'api', issuer: ca, ips: ['127.0.0.1'] });
const past = { notBefore: new Date(Date.now() - 2 * HOUR), notAfter: new Date(Date.now() - HOUR) };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const found: Script = (_, answer) => json(answer, 200, node);

async function serve(tls: ServerOptions | undefined, script: Script = found) {
  const server = await scriptedServer(script, tls);
  open.push(server);
  return server;
}

function clientOf(url: string, over: Partial<ClusterConnection> = {}) {
  const client = createKubeClient(connectionTo(url, { tls: { ca: ca.cert }, ...over }));
  open.push(client);
  return client;
}

const get = (url: string, over?: Partial<ClusterConnection>) => clientOf(url, over).get(nodes, { name: 'a' });

describe('the certificate of the server', () => {
  it('is taken when the authority signed it for this address', async () => {
    const { url } = await serve(serving);
    expect(await get(url)).toEqual(node);
  });

  it('of another authority is not trusted', async () => {
    const { url } = await serve(serving);
    expect(await codeOf(get(url, { tls: {} }))).toBe('CERTIFICATE_UNTRUSTED');
    const other = makeCertificate({ commonName: 'other-ca', ca: true });
    expect(await codeOf(get(url, { tls: { ca: other.cert } }))).toBe('CERTIFICATE_UNTRUSTED');
    expect(await get(url, { tls: { rejectUnauthorized: false } })).toEqual(node);
  });

  it('for another address is not trusted, unless a server name is asked for that it has', async () => {
    const elsewhere = makeCertificate({ commonName: 'api', issuer: ca, names: ['api.example'] });
    const { url } = await serve(elsewhere);
    expect(await codeOf(get(url))).toBe('CERTIFICATE_UNTRUSTED');
    expect(await get(url, { tls: { ca: ca.cert, servername: 'api.example' } })).toEqual(node);
  });

  it('that has expired, or is not valid yet, is said to be so', async () => {
    const old = await serve(makeCertificate({ commonName: 'api', issuer: ca, ips: ['127.0.0.1'], ...past }));
    expect(await codeOf(get(old.url))).toBe('CERTIFICATE_EXPIRED');
    const notBefore = new Date(Date.now() + HOUR);
    const early = makeCertificate({ commonName: 'api', issuer: ca, ips: ['127.0.0.1'], notBefore });
    expect(await codeOf(get((await serve(early)).url))).toBe('CERTIFICATE_EXPIRED');
  });
});

describe('the certificate of the client', () => {
  const jane = makeCertificate({ commonName: 'jane', issuer: ca });
  const peerName: Script = ({ socket }, answer) => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    json(answer, 200, { metadata: { name: subject?.CN } });
  };
  // Like the API server, which asks for a certificate and decides above TLS.
  const asking = { ...serving, ca: ca.cert, requestCert: true, rejectUnauthorized: false };

  it('comes from the connection or, by call, from an exec plugin', async () => {
    const { url } = await serve(asking, peerName);
    const tls = { ca: ca.cert, cert: jane.cert, key: jane.key };
    expect(await get(url, { tls })).toEqual({ metadata: { name: 'jane' } });
    const joe = makeCertificate({ commonName: 'joe', issuer: ca });
    const holders = [jane, joe];
    const credentials = async () => ({ headers: {}, ...holders.shift() });
    const client = clientOf(url, { credentials });
    const names = [await client.get(nodes, { name: 'a' }), await client.get(nodes, { name: 'a' })];
    expect(names.map(({ metadata }) => metadata.name)).toEqual(['jane', 'joe']);
  });

  it('that has expired is said to be so, although the server only answers 401', async () => {
    const { url } = await serve(asking, (_, answer) =>
      json(answer, 401, statusOf(401, 'Unauthorized', 'no')),
    );
    const old = makeCertificate({ commonName: 'jane', issuer: ca, ...past });
    const tls = (holder: typeof jane) => ({ tls: { ca: ca.cert, cert: holder.cert, key: holder.key } });
    expect(await codeOf(get(url, tls(old)))).toBe('CERTIFICATE_EXPIRED');
    expect(await codeOf(get(url, tls(jane)))).toBe('UNAUTHENTICATED');
  });

  it('that the server refuses in the handshake is no network failure', async () => {
    const strict = await serve({ ...asking, rejectUnauthorized: true }, peerName);
    const stranger = makeCertificate({ commonName: 'stranger' });
    const tls = { ca: ca.cert, cert: stranger.cert, key: stranger.key };
    // Whether the alert or the reset of the connection is read first is a race of the two ends.
    expect(['UNAUTHENTICATED', 'SERVER_UNREACHABLE']).toContain(await codeOf(get(strict.url, { tls })));
  });

  it('that is no certificate is a fault of the kubeconfig', async () => {
    const { url } = await serve(serving);
    const tls = { ca: ca.cert, cert: 'not PEM', key: 'not PEM' };
    expect(await codeOf(get(url, { tls }))).toBe('BAD_KUBECONFIG');
  });
});

describe('a server that cannot be reached', () => {
  it('refuses connections: its address and the kubeconfig are named', async () => {
    const server = await scriptedServer(found);
    await server.close();
    const error = await typedErrorOf(get(server.url));
    expect(error.code).toBe('SERVER_UNREACHABLE');
    expect(error.message).toContain(server.url);
    expect(error.hint).toContain('/kube/config');
  });

  it('has a name that nobody knows', async () => {
    expect(await codeOf(get('https://api.invalid:6443'))).toBe('SERVER_UNREACHABLE');
  });

  it('speaks HTTP where TLS is expected', async () => {
    const { port } = await serve(undefined);
    expect(await codeOf(get(`https://127.0.0.1:${port}`))).toBe('SERVER_UNREACHABLE');
  });
});

interface Proxy {
  readonly url: string;
  readonly asked: IncomingMessage[];
}

/** A proxy for CONNECT; `refuse` answers with this status instead of a tunnel. */
async function proxy(refuse?: number): Promise<Proxy> {
  const asked: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer();
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(request);
    if (refuse !== undefined) return socket.end(`HTTP/1.1 ${refuse} Refused\r\n\r\n`);
    const [host = '', port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const end of [socket, target]) {
      sockets.add(end);
      end.on('error', () => undefined);
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('a proxy', () => {
  it('is asked once for a tunnel, in which TLS is with the server', async () => {
    const { url, port, requests } = await serve(serving);
    const { url: via, asked } = await proxy();
    const client = clientOf(url, { proxy: via });
    await client.get(nodes, { name: 'a' });
    await client.get(nodes, { name: 'a' });
    expect(asked.map(({ url }) => url)).toEqual([`127.0.0.1:${port}`]);
    expect(requests[0]?.socket).toBeInstanceOf(TLSSocket);
  });

  it('carries plain HTTP as well, and watches', async () => {
    const { url } = await serve(undefined, ({ url }, answer) => {
      if (!url.includes('watch=1')) return json(answer, 200, node);
      const object = { metadata: { name: 'a', resourceVersion: '8' } };
      return answer.end(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    });
    const { url: via } = await proxy();
    const client = clientOf(url, { proxy: via });
    expect(await client.get(nodes, { name: 'a' })).toEqual(node);
    expect(await take(client.watch(nodes, '7'))).toHaveLength(1);
  });

  it('gets its user and password, the server does not, and messages never do', async () => {
    const { url, requests } = await serve(serving);
    const { url: via, asked } = await proxy();
    await get(url, { proxy: via.replace('://', '://us%40er:s3cret@') });
    const sent = `Basic ${Buffer.from('us@er:s3cret').toString('base64')}`;
    expect(asked[0]?.headers['proxy-authorization']).toBe(sent);
    expect(requests[0]?.headers['proxy-authorization']).toBeUndefined();
    const refusing = await proxy(407);
    const withPassword = refusing.url.replace('://', '://us%40er:s3cret@');
    const error = await typedErrorOf(get(url, { proxy: withPassword }));
    expect(error.message).toContain('407');
    expect(`${error.message}${error.hint}`).not.toContain('s3cret');
  });

  it('that refuses or is not there is the one that is named', async () => {
    const { url } = await serve(serving);
    const refusing = await proxy(403);
    const refused = await typedErrorOf(get(url, { proxy: refusing.url }));
    expect(refused).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining(refusing.url),
    });
    const gone = await scriptedServer(found);
    await gone.close();
    const missing = await typedErrorOf(get(url, { proxy: gone.url }));
    expect(missing).toMatchObject({ code: 'SERVER_UNREACHABLE', message: expect.stringContaining(gone.url) });
  });

  it('with an unknown scheme is a fault of the configuration', () => {
    expect(() => clientOf('https://127.0.0.1:1', { proxy: 'socks5://127.0.0.1:1' })).toThrow(
      expect.objectContaining({ code: 'BAD_KUBECONFIG' }),
    );
  });
});
