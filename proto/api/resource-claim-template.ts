// ResourceClaimTemplate of resource.k8s.io/v1: from it the resource-claim controller makes a claim for each pod.
import type { ObjectMeta } from './resource.ts';

/** How a request says which device it wants; of the class, as many as `count`, that every selector holds for. */
export interface ExactDeviceRequest {
  deviceClassName: string;
  allocationMode?: 'ExactCount' | 'All';
  count?: number;
  selectors?: { cel: { expression: string } }[];
}

export interface DeviceRequest {
  /** Unique in the claim; results of the allocation refer to it. */
  name: string;
  /** This or `firstAvailable` is set, never both. */
  exactly?: ExactDeviceRequest;
  /** The first of these that can be had. */
  firstAvailable?: (ExactDeviceRequest & { name: string })[];
}

export interface ResourceClaimTemplate {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta & { name: string };
  /** Immutable. */
  spec: {
    /** Labels and annotations of the claims. */
    metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
    spec: { devices: { requests: DeviceRequest[] } };
  };
}
