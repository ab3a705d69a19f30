// Lease of coordination.k8s.io/v1: who leads among equal controllers.
import type { ObjectMeta } from './resource.ts';

export interface Lease {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta & { name: string };
  spec?: {
    /** Absent or empty: given back. */
    holderIdentity?: string;
    /** Seconds after `renewTime` for which others must not take it. */
    leaseDurationSeconds?: number;
    /** RFC 3339 with six digits of the second (metav1.MicroTime). */
    acquireTime?: string;
    renewTime?: string;
    /** How often the holder changed. */
    leaseTransitions?: number;
  };
}
