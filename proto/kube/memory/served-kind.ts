// The kinds that the in-memory API serves.
import { USB_NODE_STATUS } from '../../api/names.ts';
import type { KubeObject, ResourceType } from '../client.ts';
import type { ObjectSchema } from './object-schema.ts';

/** What the registry of the real server, or a CRD, says about a kind. */
export interface ServedKind extends ResourceType {
  readonly kind: string;
  readonly namespaced: boolean;
  /** With it, PUT and PATCH of the object leave `status` alone, and those of `/status` everything else. */
  readonly statusSubresource?: boolean;
  /** Field selectors beside metadata.name and metadata.namespace, e.g. `spec.nodeName`. */
  readonly selectableFields?: readonly string[];
  readonly shortNames?: readonly string[];
  /** Objects are pruned and checked by it; without one any body is taken. */
  readonly schema?: ObjectSchema;
}

/** Any object as the server keeps it: frozen. */
export interface StoredObject extends KubeObject {
  readonly [field: string]: unknown;
}

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const EVENT_FIELDS = ['reason', 'type', ...INVOLVED.map((field) => `involvedObject.${field}`)];

const cluster = { namespaced: false };
const namespaced = { namespaced: true };
const status = { statusSubresource: true };
const core = { group: '', version: 'v1' };
const dra = { group: 'resource.k8s.io', version: 'v1' };

const fields = (...selectableFields: string[]) => ({ selectableFields });

/** What every cluster of ours has. Field selectors from the registries of Kubernetes 1.34. */
export const DEFAULT_KINDS: readonly ServedKind[] = [
  { ...core, kind: 'Namespace', plural: 'namespaces', ...cluster, ...status },
  { ...core, kind: 'Node', plural: 'nodes', ...cluster, ...status, ...fields('spec.unschedulable') },
  {
    ...core,
    kind: 'Pod',
    plural: 'pods',
    ...namespaced,
    ...status,
    ...fields('spec.nodeName', 'status.phase'),
  },
  { ...core, kind: 'ConfigMap', plural: 'configmaps', ...namespaced, shortNames: ['cm'] },
  { ...core, kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', ...namespaced, ...status },
  { ...core, kind: 'Event', plural: 'events', ...namespaced, ...fields(...EVENT_FIELDS) },
  {
    ...dra,
    kind: 'ResourceSlice',
    plural: 'resourceslices',
    ...cluster,
    ...fields('spec.driver', 'spec.nodeName'),
  },
  { ...dra, kind: 'ResourceClaim', plural: 'resourceclaims', ...namespaced, ...status },
  { ...dra, kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', ...namespaced },
  { ...dra, kind: 'DeviceClass', plural: 'deviceclasses', ...cluster },
  { ...USB_NODE_STATUS, ...cluster, ...status },
];

/** `v1`, `resource.k8s.io/v1`. */
export function apiVersionOf({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Built-in kinds differ from those of a CRD in a few answers; custom groups are the ones of other domains. */
export function isBuiltIn({ group }: ResourceType): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
