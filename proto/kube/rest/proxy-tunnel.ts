// Reaches the API server through an HTTP(S) proxy: HTTP CONNECT, and TLS with the server inside the tunnel.
import type { Agent, AgentOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TypedError } from '../../api/typed-error.ts';

/** Milliseconds for the proxy's answer; a call with less time gives up on its own. */
const TUNNEL_TIMEOUT = 30_000;

/** Node's agent has no hook but createConnection; its type lacks what the agent really passes (host, port). */
type Connect = (
  options: AgentOptions & { host: string; port: number; socket?: Socket },
  callback?: (error: Error | null, socket?: Duplex) => void,
) => Duplex | undefined;

/** Makes `agent` open its connections through `proxy`; `secure` when the server inside speaks TLS. */
export function connectThrough(proxy: URL, agent: Agent, secure: boolean): void {
  const direct = agent.createConnection.bind(agent) as Connect;
  const tunnelled: Connect = (options, callback) => {
    openTunnel(proxy, `${bracketed(options.host)}:${options.port}`).then(
      // https.Agent.createConnection keeps TLS sessions for later and takes a connected socket.
      (socket) => callback?.(null, secure ? direct({ ...options, socket }) : socket),
      (error: Error) => callback?.(error),
    );
    return undefined;
  };
  Object.assign(agent, { createConnection: tunnelled });
}

/**
 * CONNECT for plain HTTP servers too: one way instead of two. The proxy's own certificate is checked against the
 * authorities of Node, not of the cluster.
 */
function openTunnel(proxy: URL, target: string): Promise<Socket> {
  const { request } = process.getBuiltinModule(proxy.protocol === 'https:' ? 'node:https' : 'node:http');
  const shown = `${proxy.protocol}//${proxy.host}`;
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: Error) =>
      reject(
        new TypedError(
          'SERVER_UNREACHABLE',
          `the proxy ${shown} gave no connection to ${target}: ${why}`,
          'check proxy-url, HTTPS_PROXY and NO_PROXY',
          { cause },
        ),
      );
    const connect = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: target,
      agent: false,
      timeout: TUNNEL_TIMEOUT,
      headers: { host: target, ...proxyAuthorization(proxy) },
    });
    connect.on('connect', ({ statusCode, statusMessage }, socket) => {
      socket.setTimeout(0);
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      fail(`${statusCode} ${statusMessage}`);
    });
    connect.on('response', (response) => {
      response.destroy();
      fail(`${response.statusCode} ${response.statusMessage}`);
    });
    connect.on('timeout', () => connect.destroy(new Error('no answer')));
    connect.on('error', (error) =>
      fail(error.message || String((error as NodeJS.ErrnoException).code), error),
    );
    connect.end();
  });
}

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
