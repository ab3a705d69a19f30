// What the DRA driver works with: one record of ports, so that Prepare and Unprepare share it.
import type { ObjectRef } from '../../proto/api/gen/usb-node-status.ts';
import type { KubeClient } from '../../proto/kube/client.ts';
import type { Log } from '../run/log.ts';
import type { CdiStore } from './cdi-store.ts';
import type { ClaimStore } from './claim-store.ts';
import type { DeviceAccess } from './device-access.ts';
import type { LocalDevices } from './local-devices.ts';

/** flock(2) on a file, held while `work` runs: excludes other processes. Rejects with TIMED_OUT. */
export type FileLock = <T>(path: string, timeoutMs: number, work: () => Promise<T>) => Promise<T>;

export interface DriverHost {
  readonly nodeName: string;
  /** /proc/sys/kernel/random/boot_id. */
  readonly bootId: string;
  readonly kube: KubeClient;
  readonly access: DeviceAccess;
  readonly devices: LocalDevices;
  readonly claims: ClaimStore;
  readonly cdi: CdiStore;
  readonly fileLock: FileLock;
  /** `serialize.lock`, shared by the instances of a rolling update. */
  readonly lockPath: string;
  /** Which claim other than `uid` has the device allocated, as far as this node knows. */
  readonly holderOf: (pool: string, device: string, uid: string) => ObjectRef | undefined;
  readonly log: Log;
}
