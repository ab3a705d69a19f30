// The numbers of the USB controller that Prometheus collects.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** `leads` is asked when the metrics are read. */
export function createControllerMetrics(leads: () => boolean) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'virt_usb_controller_leader',
    help: '1 in the replica that writes, 0 in the others.',
    registers,
    collect() {
      this.set(leads() ? 1 : 0);
    },
  });
  return {
    registry,
    pending: new Gauge({
      name: 'virt_usb_controller_pending',
      help: 'Devices, nodes and slices that something is still to be written for.',
      registers,
    }),
    failing: new Gauge({
      name: 'virt_usb_controller_failing',
      help: 'Those of them whose last write failed.',
      registers,
    }),
    steps: new Counter({
      name: 'virt_usb_controller_steps_total',
      help: 'Writes that were done.',
      labelNames: ['kind', 'do'],
      registers,
    }),
    failures: new Counter({
      name: 'virt_usb_controller_failures_total',
      help: 'Writes that failed; CONFLICT is part of normal life.',
      labelNames: ['code'],
      registers,
    }),
  };
}

export type ControllerMetrics = ReturnType<typeof createControllerMetrics>;
