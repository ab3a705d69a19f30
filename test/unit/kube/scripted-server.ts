// A bare HTTP(S) server whose answers a test writes by hand, for what no API server would send.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly socket: Socket;
}

export type Script = (request: SeenRequest, answer: ServerResponse) => unknown;

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

/** Calls `script` for every request once its body is there. */
export async function scriptedServer(script: Script, tls?: ServerOptions): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const listener = async (incoming: IncomingMessage, answer: ServerResponse) => {
    let body = '';
    for await (const part of incoming.setEncoding('utf8')) body += part;
    const { method = '', url = '', headers, socket } = incoming;
    const request = { method, url, headers, body, socket };
    requests.push(request);
    script(request, answer);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(answer: ServerResponse, status: number, body: object): void {
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function statusOf(code: number, reason: string, message: string, details?: object): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details };
}
