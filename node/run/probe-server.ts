// Liveness, readiness and metrics over plain HTTP: what the kubelet and Prometheus ask.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { TypedError } from '../../proto/api/typed-error.ts';

/** A part of the component that can be unwell. Returns undefined when well, else a sentence that says why not. */
export type Check = () => string | undefined;

export interface Probes {
  /** Fails when only a restart helps. */
  readonly live: Readonly<Record<string, Check>>;
  /** Fails while the component cannot serve. */
  readonly ready: Readonly<Record<string, Check>>;
}

function report(checks: Readonly<Record<string, Check>>): { status: number; body: string } {
  const results = Object.entries(checks).map(([name, check]) => ({ name, problem: check() }));
  const lines = results.map(
    ({ name, problem }) =>
      `${problem === undefined ? 'ok' : 'failed'} ${name}${problem ? `: ${problem}` : ''}`,
  );
  return { status: results.every((r) => r.problem === undefined) ? 200 : 503, body: `${lines.join('\n')}\n` };
}

export interface ProbeServer {
  readonly port: number;
  close(): Promise<void>;
}

function listen(server: Server, port: number, host?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `cannot serve probes on port ${port}: ${cause.message}`;
      reject(new TypedError('BAD_CONFIG', message, 'choose a port that is free', { cause }));
    });
    server.listen(port, host, () => resolve());
  });
}

/** Serves /healthz, /readyz (a line a check) and /metrics. Port 0 takes a free one. Rejects with BAD_CONFIG. */
export async function startProbeServer(
  address: { port: number; host?: string },
  probes: Probes,
  registry: Registry,
): Promise<ProbeServer> {
  const server = createServer((request, response) => {
    const send = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    const path = request.url?.split('?')[0];
    if (path === '/healthz' || path === '/readyz') {
      const { status, body } = report(path === '/healthz' ? probes.live : probes.ready);
      send(status, body);
    } else if (path === '/metrics') {
      registry.metrics().then(
        (text) => send(200, text, registry.contentType),
        (error: unknown) => send(500, `${String(error)}\n`),
      );
    } else send(404, 'there are /healthz, /readyz and /metrics\n');
  });
  await listen(server, address.port, address.host);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
