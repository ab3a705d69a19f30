// The numbers of the USB agent that Prometheus collects.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds; the kubelet gives a call 45. */
const CALL_BUCKETS = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 45];

/** `live` is asked when the metrics are read. */
export interface LiveNumbers {
  readonly devices: () => { offered: number; blocked: number };
  readonly ports: () => {
    highSpeed: { total: number; used: number };
    superSpeed: { total: number; used: number };
  };
  readonly exports: () => number;
  readonly requests: () => Readonly<Record<string, number>>;
}

export function createAgentMetrics(live: LiveNumbers) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, labelNames: string[], collect: (set: Gauge['set']) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        collect(this.set.bind(this));
      },
    });
  gauge('virt_usb_devices', 'USB devices plugged into this node.', ['verdict'], (set) => {
    const { offered, blocked } = live.devices();
    set({ verdict: 'offered' }, offered);
    set({ verdict: 'blocked' }, blocked);
  });
  gauge('virt_usb_vhci_ports', 'Ports for devices of other nodes.', ['hub', 'state'], (set) => {
    for (const [hub, { total, used }] of Object.entries(live.ports())) {
      set({ hub, state: 'used' }, used);
      set({ hub, state: 'free' }, total - used);
    }
  });
  gauge('virt_usb_plain_exports', 'Devices that other nodes hold over unencrypted USB/IP.', [], (set) =>
    set({}, live.exports()),
  );
  new Counter({
    name: 'virt_usb_exporter_requests_total',
    help: 'Requests to the exporter.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(live.requests())) this.inc({ outcome }, count);
    },
  });
  return {
    registry,
    scanSeconds: new Histogram({
      name: 'virt_usb_scan_seconds',
      help: 'Time to read every USB device of this node.',
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5],
      registers,
    }),
    ueventGaps: new Counter({
      name: 'virt_usb_uevent_gaps_total',
      help: 'Times that uevents were lost or could not be decoded.',
      registers,
    }),
    callSeconds: new Histogram({
      name: 'virt_usb_claim_seconds',
      help: 'Time to prepare or unprepare one claim.',
      labelNames: ['call', 'outcome'],
      buckets: CALL_BUCKETS,
      registers,
    }),
  };
}

export type AgentMetrics = ReturnType<typeof createAgentMetrics>;
