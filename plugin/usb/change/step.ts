// The steps of a change: what is written, and what is waited for. Data, so that a dry run can print them.
import type { ObjectKey, ResourceType } from '../../../proto/kube/client.ts';
import type { PatchOperation } from '../../../proto/kube/memory/json-patch.ts';
import type { Goal } from './goal.ts';

/** One object of the API. */
export interface ObjectAddress {
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

export interface PatchStep extends ObjectAddress {
  readonly kind: 'patch';
  /** e.g. `assign usb-1 to namespace lab`. */
  readonly about: string;
  /** JSON Patch with `test` operations: it applies only to what was planned for. */
  readonly patch: readonly PatchOperation[];
  /** The command that takes it back. */
  readonly undo: string;
}

export interface WaitStep {
  readonly kind: 'wait';
  readonly about: string;
  readonly goal: Goal;
  /** The command that shows how it goes on. */
  readonly look: string;
}

export type Step = PatchStep | WaitStep;
