// The parts of resource.k8s.io/v1 that we read or write (field names from the published API reference).

/** Exactly one member is set. Strings are at most 64 bytes. */
export type DeviceAttribute = { string: string } | { int: number } | { bool: boolean } | { version: string };

export interface DeviceTaint {
  key: string;
  value?: string;
  effect: 'NoSchedule' | 'NoExecute' | 'None';
  timeAdded?: string;
}

export interface SliceDevice {
  name: string;
  attributes?: Record<string, DeviceAttribute>;
  taints?: DeviceTaint[];
}

export interface NodeSelector {
  nodeSelectorTerms: {
    matchExpressions: {
      key: string;
      operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
      values?: string[];
    }[];
  }[];
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller?: boolean;
    blockOwnerDeletion?: boolean;
  }[];
  finalizers?: string[];
}

export interface ResourceSlice {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: {
    driver: string;
    pool: { name: string; generation: number; resourceSliceCount: number };
    nodeSelector?: NodeSelector;
    nodeName?: string;
    devices?: SliceDevice[];
  };
}

export interface DeviceAllocationResult {
  request: string;
  driver: string;
  pool: string;
  device: string;
  shareID?: string;
}

export interface AllocatedConfig {
  source: 'FromClass' | 'FromClaim';
  requests?: string[];
  opaque?: { driver: string; parameters: Record<string, unknown> };
}

export interface ResourceClaim {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: { devices?: { requests?: { name: string }[]; config?: unknown[] } };
  status?: {
    allocation?: {
      devices?: { results?: DeviceAllocationResult[]; config?: AllocatedConfig[] };
      nodeSelector?: NodeSelector;
      allocationTimestamp?: string;
    };
    reservedFor?: { apiGroup?: string; resource: string; name: string; uid: string }[];
  };
}
