// The kinds that we read or write, by their REST paths.
import { NODE_USB_DEVICE, USB_DEVICE, USB_NODE_STATUS, VIRTUAL_MACHINE } from '../api/names.ts';
import type { ResourceType } from './client.ts';

const CORE = { group: '', version: 'v1' } as const;
const DRA = { group: 'resource.k8s.io', version: 'v1' } as const;

export const RESOURCE_TYPES = {
  nodes: { ...CORE, plural: 'nodes' },
  namespaces: { ...CORE, plural: 'namespaces' },
  pods: { ...CORE, plural: 'pods' },
  events: { ...CORE, plural: 'events' },
  leases: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
  selfSubjectAccessReviews: {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'selfsubjectaccessreviews',
  },
  customResourceDefinitions: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
  },
  resourceSlices: { ...DRA, plural: 'resourceslices' },
  resourceClaims: { ...DRA, plural: 'resourceclaims' },
  resourceClaimTemplates: { ...DRA, plural: 'resourceclaimtemplates' },
  usbNodeStatuses: USB_NODE_STATUS,
  nodeUsbDevices: NODE_USB_DEVICE,
  usbDevices: USB_DEVICE,
  virtualMachines: VIRTUAL_MACHINE,
} as const satisfies Record<string, ResourceType>;
