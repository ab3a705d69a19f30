// An API server in memory for tests and the demo: answers like the real one, over HTTP(S), for any registered kind.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Authorize } from './access.ts';
import type { Admit } from './admission.ts';
import { Faults } from './faults.ts';
import { MemoryStore } from './memory-store.ts';
import { requestHandler } from './request-handler.ts';
import type { ServedKind } from './served-kind.ts';

export interface MemoryApiOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Bearer token -> user name; absent: nobody is asked. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** cert and key: serve HTTPS. */
  readonly tls?: TlsOptions;
  /** Instead of the default kinds. */
  readonly kinds?: readonly ServedKind[];
  readonly authorize?: Authorize;
  /** Stands for the admission policies of a cluster. */
  readonly admit?: Admit;
  /** Milliseconds between bookmarks; default a minute, as the real one. */
  readonly bookmarkInterval?: number;
  /** How many changes a watch can go back; default 1000. */
  readonly keep?: number;
}

export interface MemoryApi {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly store: MemoryStore;
  readonly faults: Faults;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. Unlike a cluster it has no controllers: a namespace need not exist, nothing is defaulted, nobody
 * collects garbage, and only kinds that bring a schema have their bodies checked.
 */
export async function startMemoryApi(options: MemoryApiOptions = {}): Promise<MemoryApi> {
  const store = new MemoryStore(options.keep, options.kinds);
  const faults = new Faults();
  const handle = requestHandler(store, faults, options);
  const listener: RequestListener = (request, answer) => void handle(request, answer);
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    store,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server<typeof IncomingMessage>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
