// The DRA services v1 and v1beta1 over gRPC: the same driver behind both.
import { Server, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { ERROR_CODES } from '../../proto/api/error-codes.ts';
import { TypedError } from '../../proto/api/typed-error.ts';
import * as v1 from '../../proto/kubelet/gen/dra-v1.ts';
import * as v1beta1 from '../../proto/kubelet/gen/dra-v1beta1.ts';
import type { DraDriver, Outcome } from './driver.ts';
import { errorText } from './error-text.ts';
import type { PreparedDevice } from './prepare.ts';

/** In the order of our preference: the kubelet takes the first that it knows. */
export const SERVICES = ['v1.DRAPlugin', 'v1beta1.DRAPlugin'] as const;

function reply<T>(callback: sendUnaryData<T>, work: Promise<T>): void {
  work.then(
    (value) => callback(null, value),
    (cause: unknown) => {
      const error = cause instanceof TypedError ? cause : new TypedError('INTERNAL', String(cause));
      callback({ code: ERROR_CODES[error.code].grpc, details: errorText(error) });
    },
  );
}

function toDevice({ requests, pool, device, cdiIds, shareId }: PreparedDevice): v1.Device {
  return {
    requestNames: [...requests],
    poolName: pool,
    deviceName: device,
    cdiDeviceIds: [...cdiIds],
    shareId,
  };
}

function prepareReply(outcome: Outcome<PreparedDevice[]>): v1.NodePrepareResourceResponse {
  return 'error' in outcome
    ? { devices: [], error: errorText(outcome.error) }
    : { devices: outcome.value.map(toDevice), error: '' };
}

function unprepareReply(outcome: Outcome<void>): v1.NodeUnprepareResourceResponse {
  return { error: 'error' in outcome ? errorText(outcome.error) : '' };
}

function replies<T, R>(
  outcomes: ReadonlyMap<string, Outcome<T>>,
  one: (outcome: Outcome<T>) => R,
): Record<string, R> {
  return Object.fromEntries([...outcomes].map(([uid, outcome]) => [uid, one(outcome)]));
}

/** Messages of v1 hold all that v1beta1 knows; the latter has no share id and leaves it out. */
export function createDraServer(driver: Pick<DraDriver, 'prepare' | 'unprepare'>): Server {
  const handlers = {
    nodePrepareResources: (
      call: ServerUnaryCall<v1.NodePrepareResourcesRequest, v1.NodePrepareResourcesResponse>,
      callback: sendUnaryData<v1.NodePrepareResourcesResponse>,
    ) => {
      const abort = new AbortController();
      // Also when the kubelet's deadline passes or the kubelet ends: it will call again, so nothing may be half done.
      call.on('cancelled', () => abort.abort());
      const outcomes = driver.prepare(call.request.claims, abort.signal);
      reply(
        callback,
        outcomes.then((map) => ({ claims: replies(map, prepareReply) })),
      );
    },
    nodeUnprepareResources: (
      call: ServerUnaryCall<v1.NodeUnprepareResourcesRequest, v1.NodeUnprepareResourcesResponse>,
      callback: sendUnaryData<v1.NodeUnprepareResourcesResponse>,
    ) => {
      const outcomes = driver.unprepare(call.request.claims);
      reply(
        callback,
        outcomes.then((map) => ({ claims: replies(map, unprepareReply) })),
      );
    },
  };
  const server = new Server();
  server.addService(v1.DRAPluginService, handlers);
  server.addService(v1beta1.DRAPluginService, handlers);
  return server;
}
