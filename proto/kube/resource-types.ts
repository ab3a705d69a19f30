// The kinds that we read or write, by their REST paths.
import { USB_NODE_STATUS } from '../api/names.ts';
import type { ResourceType } from './client.ts';

export const RESOURCE_TYPES = {
  nodes: { group: '', version: 'v1', plural: 'nodes' },
  pods: { group: '', version: 'v1', plural: 'pods' },
  events: { group: '', version: 'v1', plural: 'events' },
  resourceSlices: { group: 'resource.k8s.io', version: 'v1', plural: 'resourceslices' },
  resourceClaims: { group: 'resource.k8s.io', version: 'v1', plural: 'resourceclaims' },
  usbNodeStatuses: {
    group: USB_NODE_STATUS.group,
    version: USB_NODE_STATUS.version,
    plural: USB_NODE_STATUS.plural,
  },
} as const satisfies Record<string, ResourceType>;
