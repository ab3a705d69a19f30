// What Prometheus reads of an agent.
import { describe, expect, it } from 'vitest';
import { createAgentMetrics, type LiveNumbers } from '../../../node/run/agent-metrics.ts';

const ports = { total: 8, used: 3 };

async function lines(
  over: Partial<LiveNumbers> = {},
  act?: (metrics: ReturnType<typeof createAgentMetrics>) => void,
) {
  const metrics = createAgentMetrics({
    devices: () => ({ offered: 2, blocked: 1 }),
    ports: () => ({ highSpeed: ports, superSpeed: { total: 8, used: 0 } }),
    exports: () => 1,
    requests: () => ({ exported: 4, refused: 5 }),
    ...over,
  });
  act?.(metrics);
  return (await metrics.registry.metrics()).split('\n');
}

describe('metrics of the agent', () => {
  it('are read when they are asked for', async () => {
    let offered = 0;
    const metrics = createAgentMetrics({
      devices: () => ({ offered: ++offered, blocked: 0 }),
      ports: () => ({ highSpeed: ports, superSpeed: ports }),
      exports: () => 0,
      requests: () => ({}),
    });
    await metrics.registry.metrics();
    expect(await metrics.registry.metrics()).toContain('virt_usb_devices{verdict="offered"} 2');
  });

  it.each([
    'virt_usb_devices{verdict="offered"} 2',
    'virt_usb_devices{verdict="blocked"} 1',
    'virt_usb_vhci_ports{hub="highSpeed",state="used"} 3',
    'virt_usb_vhci_ports{hub="highSpeed",state="free"} 5',
    'virt_usb_vhci_ports{hub="superSpeed",state="used"} 0',
    'virt_usb_plain_exports 1',
    'virt_usb_exporter_requests_total{outcome="exported"} 4',
    'virt_usb_exporter_requests_total{outcome="refused"} 5',
  ])('have the line %s', async (line) => {
    expect(await lines()).toContain(line);
  });

  it('count a claim by its call and outcome, with buckets up to the 45 s of the kubelet', async () => {
    const found = await lines({}, ({ callSeconds }) =>
      callSeconds.observe({ call: 'prepare', outcome: 'DEVICE_BUSY' }, 44),
    );
    expect(found).toContain('virt_usb_claim_seconds_bucket{le="45",call="prepare",outcome="DEVICE_BUSY"} 1');
    expect(found).toContain(
      'virt_usb_claim_seconds_bucket{le="25.6",call="prepare",outcome="DEVICE_BUSY"} 0',
    );
  });

  it('belong to one agent: a second one counts for itself', async () => {
    const first = createAgentMetrics({
      devices: () => ({ offered: 0, blocked: 0 }),
      ports: () => ({ highSpeed: ports, superSpeed: ports }),
      exports: () => 0,
      requests: () => ({}),
    });
    first.ueventGaps.inc();
    expect(await lines()).toContain('virt_usb_uevent_gaps_total 0');
    expect(await first.registry.metrics()).toContain('virt_usb_uevent_gaps_total 1');
  });
});
