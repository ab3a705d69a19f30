// One write of the controller, as data: what a plan is made of.
import type { KubeObject, ObjectKey } from '../../proto/kube/client.ts';
import type { RESOURCE_TYPES } from '../../proto/kube/resource-types.ts';
import type { Note } from './note.ts';
import type { OwnerKind } from './owner-reference.ts';

export type WrittenKind = keyof Pick<
  typeof RESOURCE_TYPES,
  'nodeUsbDevices' | 'usbDevices' | 'resourceClaimTemplates' | 'resourceSlices' | 'nodes'
>;

/** The controlling owner of a new object. Without a uid it is an object that an earlier step of the plan makes. */
export interface Owner {
  readonly kind: OwnerKind;
  readonly key: ObjectKey;
  readonly uid?: string | undefined;
}

/** A merge patch of metadata; `null` deletes a key. */
export interface MetadataPatch {
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Target {
  /** Steps of one group are done in their order, and none after one that failed; groups do not wait for each other. */
  readonly group: string;
  readonly kind: WrittenKind;
  readonly key: ObjectKey;
}

export type Step = Target &
  (
    | {
        readonly do: 'create';
        /** Without `status`, which is written behind it. */
        readonly object: KubeObject;
        readonly owner?: Owner;
        readonly status?: object;
        readonly notes?: readonly Note[];
      }
    /** `object` as it was seen; its version is the precondition of this and of `patch`. */
    | {
        readonly do: 'status';
        readonly object: KubeObject;
        readonly status: object;
        readonly notes?: readonly Note[];
      }
    | { readonly do: 'patch'; readonly object: KubeObject; readonly patch: MetadataPatch }
    /** With `version` only as long as nobody wrote to it since. */
    | { readonly do: 'delete'; readonly uid: string | undefined; readonly version?: string | undefined }
  );
