// A device of this node in the words of the device policy.
import type { Device } from '../../wasm/host/device-policy.ts';
import type { NamedDevice } from '../usb/inventory.ts';
import type { NodeUse } from '../usb/node-use.ts';

/** The policy counts speed in tenths of Mb/s, because low speed is 1.5 and the contract has no fractions. */
const TENTHS = 10;

/** Everything that the policy judges: what the device is, how it was named, and how the node uses it now. */
export function toPolicyDevice(named: NamedDevice, use: NodeUse): Device {
  const { device } = named;
  return {
    name: named.name,
    identity: named.identity,
    identityForm: named.identityForm,
    fingerprint: named.fingerprint,
    busId: device.busId,
    port: device.portPath,
    vendorId: device.vendorId,
    productId: device.productId,
    bcd: device.bcdDevice,
    class: device.deviceClass,
    subClass: device.deviceSubClass,
    protocol: device.deviceProtocol,
    speed: Math.round(device.speed * TENTHS),
    ...(device.manufacturer !== undefined && { manufacturer: device.manufacturer }),
    ...(device.product !== undefined && { product: device.product }),
    ...(device.serial !== undefined && { serial: device.serial }),
    interfaces: device.interfaces.map((face) => ({
      class: face.class,
      subClass: face.subClass,
      protocol: face.protocol,
    })),
    isHub: device.isHub,
    imported: device.imported,
    inUse: {
      mounts: [...use.mounts],
      swaps: [...use.swaps],
      holders: [...use.holders],
      networkUp: [...use.networkUp],
    },
  };
}
