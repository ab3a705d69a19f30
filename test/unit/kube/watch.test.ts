// One watch: bytes to events, its ends, and that nothing is swallowed.
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../../proto/kube/client.ts';
import { createKubeClient, type KubeClientOptions } from '../../../proto/kube/rest/kube-client.ts';
import { codeOf, connectionTo, take, until } from '../../support/kube-connection.ts';
import { json, type ScriptedServer, scriptedServer, statusOf } from './scripted-server.ts';

const pods = { group: '', version: 'v1', plural: 'pods' };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function serve(body: (answer: ServerResponse) => unknown, options: KubeClientOptions = {}) {
  const server: ScriptedServer = await scriptedServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' });
    answer.flushHeaders();
    body(answer);
  });
  const client = createKubeClient(connectionTo(server.url), options);
  open.push(client, server);
  return { server, client };
}

const event = (type: string, name: string, resourceVersion = '8') =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion } } })}\n`;

const shown = (events: readonly WatchEvent<{ metadata: { name?: string } }>[]) =>
  events.map((each) =>
    each.type === 'BOOKMARK' ? `BOOKMARK ${each.resourceVersion}` : each.object.metadata.name,
  );

describe('a watch', () => {
  it('asks for bookmarks, a version, a selection and a time with jitter', async () => {
    const { server, client } = await serve((answer) => answer.end());
    const selection = { namespace: 'shop', labelSelector: 'a in (b,c)', fieldSelector: 'spec.nodeName=n' };
    const times = new Set<string | null>();
    for (let i = 0; i < 10; i++) {
      await take(client.watch(pods, '7', selection));
      const url = new URL(server.requests.at(-1)?.url ?? '', 'http://x');
      expect(url.pathname).toBe('/api/v1/namespaces/shop/pods');
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        watch: '1',
        allowWatchBookmarks: 'true',
        resourceVersion: '7',
        labelSelector: selection.labelSelector,
        fieldSelector: selection.fieldSelector,
      });
      times.add(url.searchParams.get('timeoutSeconds'));
    }
    for (const time of times) expect(Number(time)).toBeGreaterThanOrEqual(240);
    for (const time of times) expect(Number(time)).toBeLessThanOrEqual(300);
    expect(times.size).toBeGreaterThan(1);
  });

  it('puts characters together that were cut between two chunks', async () => {
    const bytes = Buffer.from(event('ADDED', 'größe-🖥') + event('BOOKMARK', '', '9'));
    const { client } = await serve((answer) => {
      let at = 0;
      const next = () => {
        if (at === bytes.length) return answer.end();
        answer.write(bytes.subarray(at, ++at));
        return setImmediate(next);
      };
      next();
    });
    expect(shown(await take(client.watch(pods, '7')))).toEqual(['größe-🖥', 'BOOKMARK 9']);
  });

  it('gives each event when it comes, not when the next one does', async () => {
    const { client } = await serve((answer) => answer.write(event('ADDED', 'a')));
    expect(shown(await take(client.watch(pods, '7'), 1))).toEqual(['a']);
  });

  it('ends with GONE at the ERROR event of a version that is too old', async () => {
    const object = statusOf(410, 'Expired', 'too old resource version');
    const { client } = await serve((answer) => answer.end(`${JSON.stringify({ type: 'ERROR', object })}\n`));
    expect(await codeOf(take(client.watch(pods, '7')))).toBe('GONE');
  });

  it('ends with the code of any other ERROR event', async () => {
    const object = statusOf(500, 'InternalError', 'etcd event received with PrevKv=nil');
    const { client } = await serve((answer) => answer.end(`${JSON.stringify({ type: 'ERROR', object })}\n`));
    expect(await codeOf(take(client.watch(pods, '7')))).toBe('SERVER_ERROR');
  });

  it.each([
    ['no JSON', '{"type":"ADD\n'],
    ['no event', '{"kind":"Pod"}\n'],
    ['an unknown event', event('SURPRISE', 'a')],
    ['an event without a version', '{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n'],
    ['half an event at its end', event('ADDED', 'a').slice(0, 20)],
  ])('that sends %s is a protocol error', async (_, text) => {
    const { client } = await serve((answer) => answer.end(text));
    expect(await codeOf(take(client.watch(pods, '7')))).toBe('PROTOCOL');
  });

  it('that is cut is SERVER_UNREACHABLE, behind the events that came before', async () => {
    const { client } = await serve((answer) => {
      answer.write(event('ADDED', 'a'));
      setTimeout(() => answer.destroy(), 20);
    });
    const seen: unknown[] = [];
    const watched = (async () => {
      for await (const each of client.watch(pods, '7')) seen.push(each.type);
    })();
    expect(await codeOf(watched)).toBe('SERVER_UNREACHABLE');
    expect(seen).toEqual(['ADDED']);
  });

  it('that is silent beyond its time is given up', async () => {
    const { client } = await serve(() => undefined, { watchSeconds: [0, 0], watchGrace: 40 });
    const begin = performance.now();
    expect(await codeOf(take(client.watch(pods, '7')))).toBe('TIMED_OUT');
    expect(performance.now() - begin).toBeGreaterThanOrEqual(39);
  });

  it('that speaks now and then is not given up', async () => {
    const { client } = await serve(
      (answer) => {
        const beat = setInterval(() => answer.write(event('BOOKMARK', '', '9')), 20);
        answer.on('close', () => clearInterval(beat));
      },
      { watchSeconds: [0, 0], watchGrace: 200 },
    );
    expect(await take(client.watch(pods, '7'), 15)).toHaveLength(15);
  });

  it('is not bound by the time limit of the call once it is open', async () => {
    const { client } = await serve((answer) => setTimeout(() => answer.end(event('ADDED', 'a')), 80));
    expect(await take(client.watch(pods, '7', {}, { timeout: 40 }))).toHaveLength(1);
  });

  it('ends at the signal of the caller, also while it waits', async () => {
    const { server, client } = await serve((answer) => answer.write(event('ADDED', 'a')));
    const abort = new AbortController();
    const seen: string[] = [];
    const watched = (async () => {
      for await (const each of client.watch(pods, '7', {}, { signal: abort.signal })) seen.push(each.type);
    })();
    const code = codeOf(watched);
    await until(() => seen.length === 1);
    abort.abort();
    expect(await code).toBe('INTERRUPTED');
    await until(() => [...server.sockets].every((socket) => socket.destroyed), 'the end of the connection');
  });

  it('lets through what its reader throws, and closes the connection', async () => {
    const { server, client } = await serve((answer) => answer.write(event('ADDED', 'a')));
    const watched = (async () => {
      for await (const each of client.watch(pods, '7')) throw new RangeError(each.type);
    })();
    await expect(watched).rejects.toThrow(RangeError);
    await until(() => [...server.sockets].every((socket) => socket.destroyed), 'the end of the connection');
  });

  it('leaves its connection to the next call when it ended well', async () => {
    const { server, client } = await serve((answer) => answer.end(event('ADDED', 'a')));
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    for (let i = 0; i < 12; i++) await take(client.watch(pods, '7'));
    process.off('warning', onWarning);
    // Node warns of more than ten listeners of one kind: each watch must take its own off again.
    expect(warnings).toEqual([]);
    expect(server.sockets.size).toBe(1);
    const [socket] = server.sockets;
    expect(socket?.destroyed).toBe(false);
  });

  it('that is refused when it is opened fails as any call does', async () => {
    const server = await scriptedServer((_, answer) => json(answer, 403, statusOf(403, 'Forbidden', 'no')));
    const client = createKubeClient(connectionTo(server.url));
    open.push(client, server);
    expect(await codeOf(take(client.watch(pods, '7')))).toBe('FORBIDDEN');
  });
});
