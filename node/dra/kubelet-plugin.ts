// The driver's two sockets and their order: DRA first, then the registrar, whose appearance makes the kubelet call.
import { join } from 'node:path';
import { DRIVER } from '../../proto/api/names.ts';
import type { Log } from '../run/log.ts';
import type { DraDriver } from './driver.ts';
import { type BoundSocket, bindSocket, removeStaleSockets } from './private-socket.ts';
import { createRegistrationServer, type RegistrationState } from './registration.ts';
import { createDraServer } from './server.ts';

export interface KubeletPluginOptions {
  readonly driver: Pick<DraDriver, 'prepare' | 'unprepare'>;
  /** The kubelet's plugin folder; the DRA socket lies in a sub-folder named like the driver. */
  readonly pluginsDir: string;
  readonly registryDir: string;
  /** Makes the names unique, so that two instances can overlap in a rolling update (kubelet 1.33 and later). */
  readonly podUid?: string;
  readonly log: Log;
}

export interface SocketPaths {
  readonly dra: string;
  readonly registrar: string;
}

export function socketPaths(pluginsDir: string, registryDir: string, podUid?: string): SocketPaths {
  return {
    dra: join(pluginsDir, DRIVER, podUid === undefined ? 'dra.sock' : `dra-${podUid}.sock`),
    registrar: join(registryDir, `${DRIVER}${podUid === undefined ? '' : `-${podUid}`}-reg.sock`),
  };
}

export class KubeletPlugin {
  readonly #dra: BoundSocket;
  readonly #registrar: BoundSocket;
  readonly #state: { last: RegistrationState | undefined };

  private constructor(
    dra: BoundSocket,
    registrar: BoundSocket,
    state: { last: RegistrationState | undefined },
  ) {
    this.#dra = dra;
    this.#registrar = registrar;
    this.#state = state;
  }

  /** Rejects with BAD_CONFIG or KERNEL; nothing is left behind then. */
  static async start(options: KubeletPluginOptions): Promise<KubeletPlugin> {
    const { driver, pluginsDir, registryDir, podUid, log } = options;
    const paths = socketPaths(pluginsDir, registryDir, podUid);
    const state: { last: RegistrationState | undefined } = { last: undefined };
    const onState = (last: RegistrationState) => {
      state.last = last;
      if (last.registered) log.info({}, 'registered with the kubelet');
      else log.error({ reason: last.error }, `the kubelet refuses the driver: ${last.error}`);
    };
    for (const path of [
      ...(await removeStaleSockets(registryDir, new RegExp(`^${DRIVER}-.+-reg\\.sock$`))),
      ...(await removeStaleSockets(join(pluginsDir, DRIVER), /^dra-.+\.sock$/)),
    ]) {
      log.info({ path }, 'removed the socket of an instance that is gone');
    }
    const dra = await bindSocket(createDraServer(driver), paths.dra);
    try {
      const registrar = await bindSocket(createRegistrationServer(paths.dra, onState), paths.registrar);
      return new KubeletPlugin(dra, registrar, state);
    } catch (error) {
      await dra.close();
      throw error;
    }
  }

  /** Why the kubelet cannot use the driver; undefined when it can. A readiness check. */
  get problem(): string | undefined {
    const { last } = this.#state;
    if (last === undefined) return 'the kubelet has not called yet';
    return last.registered ? undefined : `the kubelet refuses the driver: ${last.error}`;
  }

  /**
   * Removes the sockets, the registrar first: the kubelet takes its disappearance as the end of the driver. Calls under
   * way get a few seconds to finish.
   */
  async close(): Promise<void> {
    await this.#registrar.close();
    await this.#dra.close();
  }
}
