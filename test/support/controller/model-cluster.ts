// A cluster as plain data that plans are applied to: preconditions, finalizers and garbage collection as the API has them.
import { missingNodes } from '../../../node/controller/dead-node-plan.ts';
import type { Note } from '../../../node/controller/note.ts';
import type { NodeFacts, Observed } from '../../../node/controller/observed.ts';
import { ownerReference } from '../../../node/controller/owner-reference.ts';
import { planDevices } from '../../../node/controller/plan.ts';
import type { Step, WrittenKind } from '../../../node/controller/step.ts';
import type { NodeUsbDevice } from '../../../proto/api/gen/node-usb-device.ts';
import type { UsbDevice } from '../../../proto/api/gen/usb-device.ts';
import type { ObjectMeta, ResourceSlice } from '../../../proto/api/resource.ts';
import type { ResourceClaimTemplate } from '../../../proto/api/resource-claim-template.ts';
import type { VirtualMachine } from '../../../proto/api/virtual-machine.ts';
import type { KubeObject, ObjectKey } from '../../../proto/kube/client.ts';
import { START } from './objects.ts';

type Store = Record<WrittenKind, Map<string, KubeObject>>;

export class ModelCluster {
  now = START;
  readonly namespaces = new Set(['lab', 'shop']);
  readonly virtualMachines = new Map<string, VirtualMachine>();
  readonly notes: { about: string; note: Note }[] = [];
  readonly #store: Store = {
    nodeUsbDevices: new Map(),
    usbDevices: new Map(),
    resourceClaimTemplates: new Map(),
    resourceSlices: new Map(),
    nodes: new Map(),
  };
  #missing: ReadonlyMap<string, number> = new Map();
  #version = 0;

  put(kind: WrittenKind, object: KubeObject): void {
    const known = this.find(kind, keyOf(object.metadata));
    const uid = known?.metadata.uid ?? object.metadata.uid ?? `uid-${++this.#version}`;
    const metadata = { ...object.metadata, uid, resourceVersion: String(++this.#version) };
    this.#store[kind].set(pathOf(object.metadata), { ...object, metadata });
  }

  find(kind: WrittenKind, key: ObjectKey): KubeObject | undefined {
    return this.#store[kind].get(pathOf(key));
  }

  all<T extends KubeObject>(kind: WrittenKind): T[] {
    return [...this.#store[kind].values()] as T[];
  }

  remove(kind: WrittenKind, key: ObjectKey): void {
    this.#store[kind].delete(pathOf(key));
  }

  /** As a person, or the garbage collector, does it. */
  delete(kind: WrittenKind, key: ObjectKey): void {
    const found = this.find(kind, key);
    if (!found) return;
    if (found.metadata.finalizers?.length) {
      const deletionTimestamp = found.metadata.deletionTimestamp ?? new Date(this.now).toISOString();
      this.put(kind, { ...found, metadata: { ...found.metadata, deletionTimestamp } });
    } else this.remove(kind, key);
  }

  observed(): Observed {
    const slices = this.all<ResourceSlice>('resourceSlices');
    const nodes = new Map(
      this.all<KubeObject & NodeFacts>('nodes').map((node) => [node.metadata.name ?? '', node]),
    );
    this.#missing = missingNodes({ slices, nodes }, this.#missing, this.now);
    return {
      slices,
      nodes,
      namespaces: new Set(this.namespaces),
      nodeUsbDevices: this.all<NodeUsbDevice>('nodeUsbDevices'),
      usbDevices: this.all<UsbDevice>('usbDevices'),
      templates: this.all<ResourceClaimTemplate>('resourceClaimTemplates'),
      virtualMachines: [...this.virtualMachines.values()],
      missingNodes: this.#missing,
    };
  }

  plan(): Step[] {
    return planDevices(this.observed(), this.now);
  }

  /** One look of the controller, of which the first `limit` steps are done: then it was killed. */
  run(limit = Number.POSITIVE_INFINITY): Step[] {
    const steps = this.plan().slice(0, limit);
    const own = new Set<string>();
    for (const step of steps) this.#apply(step, own);
    return steps;
  }

  /** Deletes what has no owner any more, and what is in a namespace that is gone. */
  collectGarbage(): void {
    const uids = new Set([...this.all('nodeUsbDevices'), ...this.all('usbDevices')].map(uidOf));
    for (const kind of ['usbDevices', 'resourceClaimTemplates'] as const) {
      for (const object of this.all(kind)) {
        const { ownerReferences = [], namespace = '' } = object.metadata;
        const orphan = ownerReferences.length > 0 && ownerReferences.every(({ uid }) => !uids.has(uid));
        if (orphan || !this.namespaces.has(namespace)) this.delete(kind, keyOf(object.metadata));
      }
    }
  }

  #apply(step: Step, own: Set<string>): void {
    const { kind, key } = step;
    const found = this.find(kind, key);
    switch (step.do) {
      case 'create': {
        if (found) throw new Error(`${kind} ${key.name} exists`);
        if (key.namespace !== undefined && !this.namespaces.has(key.namespace))
          throw new Error('no namespace');
        const { owner, object, status } = step;
        const uid = owner && (owner.uid ?? this.find(owner.kind, owner.key)?.metadata.uid);
        if (owner && uid === undefined) throw new Error(`${kind} ${key.name} has no owner`);
        const ownerReferences = owner && [ownerReference(owner.kind, owner.key.name, uid ?? '')];
        const metadata: ObjectMeta = {
          ...object.metadata,
          generation: 1,
          ...(ownerReferences && { ownerReferences }),
        };
        this.put(kind, { ...object, metadata, ...(status && { status }) } as KubeObject);
        break;
      }
      case 'status':
        if (!found) throw new Error(`${kind} ${key.name} is gone`);
        this.#check(found, step.object.metadata.resourceVersion, own);
        this.put(kind, { ...found, status: step.status } as KubeObject);
        break;
      case 'patch': {
        if (!found) throw new Error(`${kind} ${key.name} is gone`);
        this.#check(found, step.object.metadata.resourceVersion, own);
        const metadata = merged(found.metadata, step.patch.metadata) as ObjectMeta;
        const gone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
        if (gone) this.remove(kind, key);
        else this.put(kind, { ...found, metadata });
        break;
      }
      case 'delete':
        if (!found) break;
        if (step.uid !== found.metadata.uid) throw new Error(`${kind} ${key.name} is another`);
        if (step.version !== undefined) this.#check(found, step.version, own);
        this.delete(kind, key);
    }
    own.add(this.find(kind, key)?.metadata.resourceVersion ?? '');
    if ('notes' in step) {
      for (const note of step.notes ?? []) this.notes.push({ about: pathOf(key), note });
    }
  }

  #check({ metadata }: KubeObject, version: string | undefined, own: ReadonlySet<string>): void {
    const { resourceVersion = '', name } = metadata;
    if (resourceVersion !== version && !own.has(resourceVersion)) throw new Error(`${name} was changed`);
  }
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

function keyOf({ namespace, name = '' }: ObjectMeta): ObjectKey {
  return { name, ...(namespace !== undefined && { namespace }) };
}

function pathOf({ namespace = '', name = '' }: Partial<ObjectKey>): string {
  return `${namespace}/${name}`;
}

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
