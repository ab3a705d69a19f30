// The host's answer to claims: devices of this node by local access, those of other nodes by import.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { DeviceAccess, DeviceTarget } from '../dra/device-access.ts';
import type { UsbDevice } from '../usb/device.ts';
import { devidOf, type LocalAccess } from '../usb/local-access.ts';
import type { Importer, RemoteTarget } from './importer.ts';

/** What `--allow-plain-peers` decides. Imports of a former run are freed in either case. */
export type Imports = 'allowed' | 'refused';

/** `deviceOf` finds the device that has a usbfs node. */
export function hostDeviceAccess(
  local: LocalAccess,
  importer: Importer,
  imports: Imports,
  deviceOf: (usbfsNode: string) => UsbDevice | undefined,
): DeviceAccess {
  return {
    async attach(target, mode, record, signal) {
      if (!isRemote(target)) return local.attach(target, mode, record, signal);
      if (imports === 'refused') throw importsRefused(target);
      return importer.attach(target, mode, record, signal);
    },
    inspect: (attachment, mode) =>
      attachment.kind === 'local' ? local.inspect(attachment, mode) : importer.inspect(attachment, mode),
    find: (usbfsNode) => {
      const device = deviceOf(usbfsNode);
      if (!device) return undefined;
      if (device.imported) return importer.find(device);
      return { kind: 'local', mode: 'usbfs', busId: device.busId, devid: devidOf(device) };
    },
    release: (attachment) =>
      attachment.kind === 'local' ? local.release(attachment) : importer.release(attachment),
  };
}

function isRemote(target: DeviceTarget): target is RemoteTarget {
  return target.peer !== undefined;
}

function importsRefused({ busId, pool }: DeviceTarget): TypedError {
  return new TypedError(
    'PEER_REFUSED',
    `this node does not import devices, and ${busId} is plugged into ${pool}`,
    'Run the pod on that node, or start the agents with --allow-plain-peers.',
  );
}
