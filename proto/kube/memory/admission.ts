// The hook for what the admission policies of a cluster deny.
import type { AccessRequest } from './access.ts';
import type { StoredObject } from './served-kind.ts';

/** One write as a policy sees it: after the rules and the schema, before it is kept. A patch is an update. */
export interface AdmissionRequest extends AccessRequest {
  readonly object: StoredObject;
}

export interface Denial {
  /** Who denies: `ValidatingAdmissionPolicy 'x' with binding 'y'`. */
  readonly by: string;
  readonly message: string;
  /** `Forbidden` (403), or by default the 422 of a policy that gives no reason. */
  readonly reason?: 'Forbidden';
}

/** Undefined admits. */
export type Admit = (request: AdmissionRequest) => Denial | undefined;
