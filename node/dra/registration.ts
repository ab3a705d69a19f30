// How the kubelet learns of the driver: it calls this service when the socket appears in its registry folder.
import { Server } from '@grpc/grpc-js';
import { DRIVER } from '../../proto/api/names.ts';
import {
  type PluginInfo,
  type RegistrationServer,
  RegistrationService,
} from '../../proto/kubelet/gen/registration.ts';
import { SERVICES } from './server.ts';

/** What the kubelet said last; undefined while it has not called. */
export type RegistrationState =
  | { readonly registered: true }
  | { readonly registered: false; readonly error: string };

/**
 * `endpoint` is the path of the DRA socket as the kubelet sees it. GetInfo must be answered within 1 s, so the answer
 * is made beforehand.
 */
export function createRegistrationServer(
  endpoint: string,
  onState: (state: RegistrationState) => void,
): Server {
  const info: PluginInfo = { type: 'DRAPlugin', name: DRIVER, endpoint, supportedVersions: [...SERVICES] };
  const handlers: RegistrationServer = {
    getInfo: (_call, callback) => callback(null, info),
    notifyRegistrationStatus: ({ request }, callback) => {
      onState(
        request.pluginRegistered
          ? { registered: true }
          : { registered: false, error: request.error || 'no reason' },
      );
      callback(null, {});
    },
  };
  const server = new Server();
  server.addService(RegistrationService, handlers);
  return server;
}
