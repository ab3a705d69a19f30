// One call of the client: what it sends, what it tries again, and what an answer becomes.
import { execFileSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { KubeClient } from '../../../proto/kube/client.ts';
import type { ClusterConnection } from '../../../proto/kube/connection.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { codeOf, connectionTo, typedErrorOf, until } from '../../support/kube-connection.ts';
import { json, type Script, type ScriptedServer, scriptedServer, statusOf } from './scripted-server.ts';

const pods = { group: '', version: 'v1', plural: 'pods' };
const slices = { group: 'resource.k8s.io', version: 'v1', plural: 'resourceslices' };
const web = { namespace: 'shop', name: 'web' };
const pod = { metadata: { namespace: 'shop', name: 'web' } };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function serve(
  script: Script,
  over: Partial<ClusterConnection> & { prefix?: string } = {},
): Promise<{ server: ScriptedServer; client: KubeClient }> {
  const server = await scriptedServer(script);
  const { prefix = '', ...rest } = over;
  const client = createKubeClient(connectionTo(server.url + prefix, rest), { userAgent: 'test/1' });
  open.push(client, server);
  return { server, client };
}

const ok = (_: unknown, answer: ServerResponse) => json(answer, 200, pod);

describe('a request', () => {
  it('carries credentials, user agent and the prefix of the server', async () => {
    const credentials = async () => ({ headers: { authorization: 'Bearer t', 'impersonate-user': 'jane' } });
    const { server, client } = await serve(ok, { prefix: '/k8s/clusters/c-1', credentials });
    await client.get(pods, web);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      url: '/k8s/clusters/c-1/api/v1/namespaces/shop/pods/web',
      headers: {
        authorization: 'Bearer t',
        'impersonate-user': 'jane',
        'user-agent': 'test/1',
        accept: 'application/json',
      },
    });
  });

  it('says what kind of patch it is, and whether it is for show', async () => {
    const { server, client } = await serve(ok);
    const options = { subresource: 'status', dryRun: true } as const;
    await client.patch(pods, web, 'json', [], options);
    await client.patch(pods, web, 'merge', {});
    expect(
      server.requests.map(({ url, headers }) => [url.split('/web')[1], headers['content-type']]),
    ).toEqual([
      ['/status?dryRun=All', 'application/json-patch+json'],
      ['', 'application/merge-patch+json'],
    ]);
  });

  it('posts to the collection and puts to the object', async () => {
    const { server, client } = await serve(ok);
    await client.create(slices, { metadata: { name: 's' } });
    await client.update(pods, pod);
    await client.delete(pods, web, { uid: 'u' });
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /apis/resource.k8s.io/v1/resourceslices',
      'PUT /api/v1/namespaces/shop/pods/web',
      'DELETE /api/v1/namespaces/shop/pods/web',
    ]);
    expect(JSON.parse(server.requests[2]?.body ?? '')).toMatchObject({ preconditions: { uid: 'u' } });
  });

  it('uses one connection again and again', async () => {
    const { server, client } = await serve(ok);
    for (let i = 0; i < 3; i++) await client.get(pods, web);
    expect(server.sockets.size).toBe(1);
  });
});

describe('a second try', () => {
  const refuse = (answer: ServerResponse) => json(answer, 401, statusOf(401, 'Unauthorized', 'Unauthorized'));

  it('is made once after a 401 when the credentials can be renewed', async () => {
    let token = 'old';
    const { server, client } = await serve(
      ({ headers }, answer) =>
        headers.authorization === 'Bearer new' ? json(answer, 200, pod) : refuse(answer),
      {
        credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
        invalidate: () => {
          token = 'new';
          return true;
        },
      },
    );
    await client.create(pods, pod);
    expect(server.requests).toHaveLength(2);
  });

  it('is not made when they cannot, nor a third time', async () => {
    const once = await serve((_, answer) => refuse(answer));
    expect(await codeOf(once.client.get(pods, web))).toBe('UNAUTHENTICATED');
    expect(once.server.requests).toHaveLength(1);
    const twice = await serve((_, answer) => refuse(answer), { invalidate: () => true });
    expect(await codeOf(twice.client.get(pods, web))).toBe('UNAUTHENTICATED');
    expect(twice.server.requests).toHaveLength(2);
  });

  it('follows a 429 after the time the server asks for', async () => {
    let refused = 0;
    const { server, client } = await serve((_, answer) => {
      if (refused++ > 0) return json(answer, 201, pod);
      answer.setHeader('retry-after', '0');
      json(answer, 429, statusOf(429, 'TooManyRequests', 'slow down'));
    });
    await client.create(pods, pod);
    expect(server.requests).toHaveLength(2);
  });

  it('is given up when the server goes on to answer 429', async () => {
    const { server, client } = await serve((_, answer) => {
      answer.setHeader('retry-after', '0');
      json(answer, 429, statusOf(429, 'TooManyRequests', 'slow down'));
    });
    expect(await codeOf(client.get(pods, web))).toBe('TOO_MANY_REQUESTS');
    expect(server.requests).toHaveLength(4);
  });

  it('of a read is made when the server had closed the kept connection', async () => {
    const dead = new WeakSet<object>();
    const { server, client } = await serve(({ socket }, answer) => {
      if (dead.has(socket)) return socket.resetAndDestroy();
      dead.add(socket);
      json(answer, 200, pod);
    });
    await Promise.all([client.get(pods, web), client.get(pods, web)]);
    // Both kept connections are dead now, as after a restart of the server.
    await client.get(pods, web);
    expect(server.sockets.size).toBe(3);
  });

  it('of a write is not made: the server may have done it', async () => {
    let answered = false;
    const { server, client } = await serve(({ socket }, answer) => {
      if (answered) return socket.resetAndDestroy();
      answered = true;
      json(answer, 200, pod);
    });
    await client.get(pods, web);
    expect(await codeOf(client.create(pods, pod))).toBe('SERVER_UNREACHABLE');
    expect(server.requests).toHaveLength(2);
  });
});

describe('an end', () => {
  const never = () => undefined;

  it('comes in time when no answer comes', async () => {
    const { client } = await serve(never);
    const begin = performance.now();
    expect(await codeOf(client.get(pods, web, { timeout: 30 }))).toBe('TIMED_OUT');
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  it('comes in time when the answer stops half way', async () => {
    const { client } = await serve((_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' }).write('{"metadata":');
    });
    expect(await codeOf(client.get(pods, web, { timeout: 50 }))).toBe('TIMED_OUT');
  });

  it('counts all pages of a list together', async () => {
    const { client } = await serve((_, answer) => {
      setTimeout(() => json(answer, 200, { metadata: { continue: 'more' }, items: [] }), 20);
    });
    expect(await codeOf(client.list(pods, {}, { timeout: 100 }))).toBe('TIMED_OUT');
  });

  it('comes at the signal of the caller, before, between or during', async () => {
    const { server, client } = await serve(never);
    expect(await codeOf(client.get(pods, web, { signal: AbortSignal.abort() }))).toBe('INTERRUPTED');
    expect(server.requests).toHaveLength(0);
    const abort = new AbortController();
    const call = codeOf(client.get(pods, web, { signal: abort.signal }));
    await until(() => server.requests.length === 1);
    abort.abort();
    expect(await call).toBe('INTERRUPTED');
  });

  it("keeps the caller's own reason", async () => {
    const { client } = await serve(never);
    const signal = AbortSignal.abort(new TypedError('DEVICE_CHANGED', 'gone'));
    expect(await codeOf(client.get(pods, web, { signal }))).toBe('DEVICE_CHANGED');
  });

  it('leaves nothing on a signal that outlives the call', async () => {
    const { client } = await serve(ok);
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    for (let i = 0; i < 3; i++) await client.get(pods, web, { signal });
    expect(listeners).toBe(0);
  });
});

describe('an answer', () => {
  const answering = async (status: number, body: object | string, type = 'application/json') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { client } = await serve((_, answer) =>
      answer.writeHead(status, { 'content-type': type }).end(text),
    );
    return client;
  };

  it.each([
    [400, 'BadRequest', 'INVALID_OBJECT'],
    [401, 'Unauthorized', 'UNAUTHENTICATED'],
    [403, 'Forbidden', 'FORBIDDEN'],
    [404, 'NotFound', 'NOT_FOUND'],
    [405, 'MethodNotAllowed', 'API_NOT_SERVED'],
    [409, 'AlreadyExists', 'CONFLICT'],
    [410, 'Expired', 'GONE'],
    [415, 'UnsupportedMediaType', 'INVALID_OBJECT'],
    [422, 'Invalid', 'INVALID_OBJECT'],
    [418, 'Teapot', 'PROTOCOL'],
    [500, 'InternalError', 'SERVER_ERROR'],
    [503, 'ServiceUnavailable', 'SERVER_ERROR'],
    [504, 'Timeout', 'TIMED_OUT'],
  ])('with status %i %s is %s', async (status, reason, code) => {
    const client = await answering(status, statusOf(status, reason, 'no', { name: 'web', kind: 'pods' }));
    expect(await codeOf(client.get(pods, web))).toBe(code);
  });

  it('names verb, kind, object and server; of a refusal the sentence of the server', async () => {
    const broken = await answering(500, statusOf(500, 'InternalError', 'etcd is down'));
    const error = await typedErrorOf(broken.get(pods, web));
    for (const part of ['get', 'pods', 'web', 'shop', 'http://127.0.0.1', 'etcd is down']) {
      expect(error.message).toContain(part);
    }
    const sentence = 'pods "web" is forbidden: User "jane" cannot get resource "pods"';
    const strict = await answering(403, statusOf(403, 'Forbidden', sentence));
    expect((await typedErrorOf(strict.get(pods, web))).message).toBe(sentence);
  });

  it('404 without an object means that the kind is not served', async () => {
    const plain = await answering(404, '404 page not found\n', 'text/plain');
    expect(await codeOf(plain.get(slices, { name: 's' }))).toBe('API_NOT_SERVED');
    const status = await answering(404, statusOf(404, 'NotFound', 'could not find it', {}));
    expect(await codeOf(status.list(slices))).toBe('API_NOT_SERVED');
  });

  it('a version from the future is GONE, so that a restored server gets a new list', async () => {
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    const client = await answering(504, statusOf(504, 'Timeout', 'Too large resource version', { causes }));
    expect(await codeOf(client.get(pods, web))).toBe('GONE');
  });

  it('that is no JSON is a protocol error, and its text does no harm to a terminal', async () => {
    const client = await answering(200, '<html>\u001b[31mlog in', 'text/html');
    const error = await typedErrorOf(client.get(pods, web));
    expect(error.code).toBe('PROTOCOL');
    expect(error.message).not.toContain('\u001b');
    const moved = await answering(302, '', 'text/html');
    expect(await codeOf(moved.get(pods, web))).toBe('PROTOCOL');
  });

  it('that is cut is told from one that is not', async () => {
    const short = await serve((_, answer) => {
      answer.writeHead(200, { 'content-length': 100 }).write('{');
      setTimeout(() => answer.destroy(), 10);
    });
    expect(await codeOf(short.client.get(pods, web))).toBe('SERVER_UNREACHABLE');
    const truncated = await answering(200, '{"metadata":');
    expect(await codeOf(truncated.get(pods, web))).toBe('PROTOCOL');
  });

  it('that is no HTTP is a protocol error', async () => {
    const { client } = await serve(({ socket }) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await codeOf(client.get(pods, web))).toBe('PROTOCOL');
  });
});

describe('a list', () => {
  const page = (names: string[], token?: string) => ({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7', continue: token },
    items: names.map((name) => ({ metadata: { name } })),
  });
  const gone = statusOf(410, 'Expired', 'continue is too old');

  it('begins again when its continue token has expired, once', async () => {
    const answers = [page(['a'], 't1'), gone, page(['b'], 't2'), page(['c'])];
    const { server, client } = await serve((_, answer) => {
      const body = answers.shift() ?? gone;
      json(answer, body === gone ? 410 : 200, body);
    });
    const { items } = await client.list(pods);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
    expect(server.requests.map(({ url }) => url.split('continue=')[1])).toEqual([
      undefined,
      't1',
      undefined,
      't2',
    ]);
    answers.push(page(['a'], 't1'), gone, page(['b'], 't2'), gone);
    expect(await codeOf(client.list(pods))).toBe('GONE');
  });

  it('does not begin again for a 410 of its first page', async () => {
    const { server, client } = await serve((_, answer) => json(answer, 410, gone));
    expect(await codeOf(client.list(pods))).toBe('GONE');
    expect(server.requests).toHaveLength(1);
  });

  it('of nothing is empty, even when the server says null', async () => {
    const { client } = await serve((_, answer) =>
      json(answer, 200, { metadata: { resourceVersion: '7' }, items: null }),
    );
    expect(await client.list(pods)).toEqual({ items: [], resourceVersion: '7' });
  });
});

describe('a client', () => {
  it('is refused for an address that cannot be used', () => {
    for (const server of ['', 'ftp://x', 'not an address']) {
      expect(() => createKubeClient(connectionTo(server))).toThrow(
        expect.objectContaining({ code: 'BAD_KUBECONFIG' }),
      );
    }
  });

  it('loads no HTTP and no TLS until it is made', () => {
    const file = new URL('../../../proto/kube/rest/kube-client.ts', import.meta.url).href;
    const script = `await import(${JSON.stringify(file)}); process.stdout.write(JSON.stringify(process.moduleLoadList))`;
    const loaded: string[] = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
    );
    expect(loaded).toContain('NativeModule events');
    expect(loaded.filter((name) => /^NativeModule (https?|tls|_http_client|crypto)$/.test(name))).toEqual([]);
  });
});
