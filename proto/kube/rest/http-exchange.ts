// One HTTP/1.1 request and its answer over kept-alive connections. HTTP/2 of Node leaked memory in long watches.
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { Agent } from 'node:https';
import { TypedError } from '../../api/typed-error.ts';
import type { ClusterConnection, RequestCredentials } from '../connection.ts';
import { connectThrough } from './proxy-tunnel.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With query, without the server's prefix. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Milliseconds of silence before TCP probes the peer; libuv then gives it ten seconds. */
const KEEP_ALIVE = 15_000;

export class HttpExchange {
  readonly #server: URL;
  readonly #agent: Agent;
  readonly #http: typeof import('node:http') | typeof import('node:https');

  /** Throws BAD_KUBECONFIG for addresses that cannot be used. Loads node:https only here, to keep imports cheap. */
  constructor({ server, tls, proxy, source }: ClusterConnection) {
    this.#server = address(server, 'server', source);
    const secure = this.#server.protocol === 'https:';
    const https = process.getBuiltinModule('node:https');
    this.#http = secure ? https : process.getBuiltinModule('node:http');
    this.#agent = new this.#http.Agent({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE, ...tls }) as Agent;
    if (proxy !== undefined) connectThrough(address(proxy, 'proxy', source), this.#agent, secure);
  }

  /** The answer's head; its body is still to be read. Rejects with the errors of Node. */
  async send(
    request: HttpRequest,
    credentials: RequestCredentials,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    for (;;) {
      try {
        return await this.#once(request, credentials, signal);
      } catch (error) {
        // The server closed a kept connection while we wrote to it. Each round uses up one of them; the next is new.
        if (!(error instanceof StaleConnection)) throw error;
        if (request.method !== 'GET' || signal.aborted) throw error.cause;
      }
    }
  }

  /** Ends idle and busy connections alike. */
  close(): void {
    this.#agent.destroy();
  }

  #once(
    request: HttpRequest,
    credentials: RequestCredentials,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { method, path, headers, body } = request;
    const { cert, key } = credentials;
    const options: RequestOptions & { cert?: string; key?: string } = {
      agent: this.#agent,
      host: this.#server.hostname.replace(/^\[|\]$/g, ''),
      port: this.#server.port || (this.#server.protocol === 'https:' ? 443 : 80),
      method,
      path: `${this.#server.pathname.replace(/\/$/, '')}${path}`,
      headers: { ...headers, ...credentials.headers, ...length(body) },
      signal,
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
    return new Promise((resolve, reject) => {
      const sent = this.#http.request(options, resolve);
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const stale = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new StaleConnection(error.message, { cause: error }) : error);
      });
      sent.end(body);
    });
  }
}

/** A kept connection failed before an answer; `cause` is the error of Node. */
class StaleConnection extends Error {}

function length(body: string | undefined): Record<string, number> {
  return body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
}

function address(text: string, what: string, source: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new TypedError(
    'BAD_KUBECONFIG',
    `the ${what} of ${source} is not an address: ${JSON.stringify(text)}`,
    'give it as https://host:port',
  );
}
