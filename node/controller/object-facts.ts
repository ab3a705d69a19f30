// What is kept of the objects that the controller watches; whole ones would cost ten times the memory. Pure.
import { NODE_ANNOTATIONS, NODE_LABELS, TEMPLATE_ANNOTATIONS } from '../../proto/api/names.ts';
import type { ObjectMeta, ResourceSlice } from '../../proto/api/resource.ts';
import type { VirtualMachine } from '../../proto/api/virtual-machine.ts';
import type { KubeObject } from '../../proto/kube/client.ts';
import type { NodeFacts, TemplateFacts } from './observed.ts';

/** The parts of a Node that are read. */
export interface NodeObject extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

export interface NamespaceFacts {
  readonly metadata: Pick<ObjectMeta, 'name' | 'deletionTimestamp'>;
}

/** The node controller sets Ready to Unknown when a kubelet is silent for 50 s (node-monitor-grace-period). */
export function nodeFacts({ metadata, status }: NodeObject): NodeFacts {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const since = Date.parse(ready?.lastTransitionTime ?? '');
  return {
    metadata: {
      ...identityOf(metadata),
      labels: picked(metadata.labels, Object.values(NODE_LABELS)),
      annotations: picked(metadata.annotations, Object.values(NODE_ANNOTATIONS)),
    },
    ready: ready?.status === 'True',
    since: Number.isNaN(since) ? undefined : since,
  };
}

/** Objects cannot be made any more in a namespace with a deletionTimestamp (admission plugin NamespaceLifecycle). */
export function namespaceFacts({ metadata: { name = '', deletionTimestamp } }: KubeObject): NamespaceFacts {
  return { metadata: { name, ...(deletionTimestamp !== undefined && { deletionTimestamp }) } };
}

export function sliceFacts({ metadata, spec }: ResourceSlice): ResourceSlice {
  const { driver, pool, devices } = spec;
  return { metadata: identityOf(metadata), spec: { driver, pool, ...(devices && { devices }) } };
}

export function templateFacts({ metadata }: KubeObject): TemplateFacts {
  const { ownerReferences, annotations } = metadata;
  return {
    metadata: {
      ...identityOf(metadata),
      annotations: picked(annotations, Object.values(TEMPLATE_ANNOTATIONS)),
      ...(ownerReferences && { ownerReferences }),
    },
  };
}

/** `status` is absent for a machine that never ran. */
export function virtualMachineFacts({ metadata, spec, status }: VirtualMachine): VirtualMachine {
  const { namespace, name } = metadata;
  const { nodeName, usbDevices } = status ?? {};
  return {
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: { ...(spec?.usbDevices && { usbDevices: spec.usbDevices }) },
    status: { ...(nodeName !== undefined && { nodeName }), ...(usbDevices && { usbDevices }) },
  };
}

/** Objects of ours: all but the record of who wrote which field, which is half of them. */
export function ownObject<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
  return { ...object, metadata };
}

function identityOf({ namespace, name, uid, resourceVersion, deletionTimestamp }: ObjectMeta): ObjectMeta {
  return {
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

function picked(
  all: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(all ?? {}).filter(([key]) => keys.includes(key)));
}
