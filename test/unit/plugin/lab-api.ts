// The cluster of lab-facts behind a real HTTP(S) server.
import type { KubeObject, ResourceType } from '../../../proto/kube/client.ts';
import {
  type MemoryApi,
  type MemoryApiOptions,
  startMemoryApi,
} from '../../../proto/kube/memory/memory-api.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { labClaims, labNodes, labStatuses } from './lab-facts.ts';

/** Reports are of now, so that a real clock finds them fresh; that of worker-3 is a day old. */
export async function startLabApi(options: MemoryApiOptions = {}): Promise<MemoryApi> {
  const api = await startMemoryApi(options);
  for (const status of labStatuses()) {
    const age = status.metadata.name === 'worker-3' ? 86_400_000 : 0;
    const heartbeat = new Date(Date.now() - age).toISOString();
    put(api, RESOURCE_TYPES.usbNodeStatuses, {
      ...status,
      ...(status.status ? { status: { ...status.status, heartbeat } } : {}),
    });
  }
  for (const claim of labClaims()) put(api, RESOURCE_TYPES.resourceClaims, claim);
  for (const node of labNodes()) put(api, RESOURCE_TYPES.nodes, node);
  return api;
}

/** Nothing when the API does not serve the kind. */
export function put(api: MemoryApi, { group, version, plural }: ResourceType, object: KubeObject): void {
  const kind = api.store.kind(group, version, plural);
  if (kind) api.store.put(kind, { ...object });
}
