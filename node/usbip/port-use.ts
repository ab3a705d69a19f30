// How many vhci ports this node has and uses, for the node's marks and status.
import type { HubPorts } from '../../proto/api/gen/usb-node-status.ts';
import { PORT_STATE, type VhciPort } from './vhci-status.ts';

export interface PortUse {
  readonly highSpeed: HubPorts;
  readonly superSpeed: HubPorts;
}

/** Everything that is not free counts as used, whoever uses it. */
export function portUse(ports: readonly VhciPort[]): PortUse {
  const count = (hub: VhciPort['hub']): HubPorts => {
    const own = ports.filter((port) => port.hub === hub);
    return { total: own.length, used: own.filter(({ state }) => state !== PORT_STATE.free).length };
  };
  return { highSpeed: count('hs'), superSpeed: count('ss') };
}
