// What the kubelet and Prometheus get to see.
import { Counter, Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProbeServer, type Probes, startProbeServer } from '../../../node/run/probe-server.ts';

let server: ProbeServer | undefined;
afterEach(() => server?.close());

async function get(path: string, probes: Probes, registry = new Registry()) {
  server = await startProbeServer({ port: 0, host: '127.0.0.1' }, probes, registry);
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return { status: response.status, body: await response.text(), type: response.headers.get('content-type') };
}

describe('probe server', () => {
  it('is live while every check is well', async () => {
    const { status, body } = await get('/healthz', { live: { loop: () => undefined }, ready: {} });
    expect([status, body]).toEqual([200, 'ok loop\n']);
  });

  it('is not ready while one check fails and says which and why', async () => {
    const ready = { kubelet: () => 'not registered', scan: () => undefined };
    const { status, body } = await get('/readyz', { live: {}, ready });
    expect([status, body]).toEqual([503, 'failed kubelet: not registered\nok scan\n']);
  });

  it('keeps liveness apart from readiness', async () => {
    const { status } = await get('/healthz', { live: {}, ready: { kubelet: () => 'not registered' } });
    expect(status).toBe(200);
  });

  it('serves the metrics of the registry', async () => {
    const registry = new Registry();
    new Counter({ name: 'plug_total', help: 'Plugs.', registers: [registry] }).inc(3);
    const { body, type } = await get('/metrics', { live: {}, ready: {} }, registry);
    expect(body).toContain('plug_total 3');
    expect(type).toContain('text/plain');
  });

  it('answers 404 for anything else and ignores a query', async () => {
    expect((await get('/x', { live: {}, ready: {} })).status).toBe(404);
    await server?.close();
    expect((await get('/healthz?verbose', { live: {}, ready: {} })).status).toBe(200);
  });

  it('rejects when the port is taken', async () => {
    server = await startProbeServer({ port: 0, host: '127.0.0.1' }, { live: {}, ready: {} }, new Registry());
    const again = startProbeServer(
      { port: server.port, host: '127.0.0.1' },
      { live: {}, ready: {} },
      new Registry(),
    );
    await expect(again).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });
});
