// How a free vhci port is chosen.
import { TypedError } from '../../proto/api/typed-error.ts';
import { PORT_STATE, type VhciPort } from './vhci-status.ts';

const SUPER_SPEED = 5;

/**
 * The first free port of the hub that takes this speed (enum usb_device_speed). `taken` are ports that turned out to
 * be used although the status said free. NO_FREE_PORT says how many there are.
 */
export function choosePort(
  ports: readonly VhciPort[],
  speed: number,
  taken: ReadonlySet<number> = new Set(),
): number {
  const hub = speed >= SUPER_SPEED ? 'ss' : 'hs';
  const candidates = ports.filter((port) => port.hub === hub);
  const free = candidates.find(({ port, state }) => state === PORT_STATE.free && !taken.has(port));
  if (free) return free.port;
  throw noFreePort(hub, candidates.length);
}

function noFreePort(hub: 'hs' | 'ss', total: number): TypedError {
  if (total === 0) {
    return new TypedError(
      'NO_FREE_PORT',
      'this node has no ports for devices of other nodes',
      'modprobe vhci-hcd',
    );
  }
  const kind = hub === 'ss' ? 'super-speed' : 'high-speed';
  return new TypedError(
    'NO_FREE_PORT',
    `all ${total} ${kind} ports for devices of other nodes are used on this node (${total} of ${total})`,
    'Free a device here, use another node, or build the kernel with a larger CONFIG_USBIP_VHCI_HC_PORTS (ports a hub, at most 15) or CONFIG_USBIP_VHCI_NR_HCS (controllers).',
  );
}
