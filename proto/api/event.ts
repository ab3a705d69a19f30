// Event of the core API: what happened to an object, for people (`kubectl describe`).
import type { ObjectMeta } from './resource.ts';

export interface KubeEvent {
  apiVersion?: string;
  kind?: string;
  /** In the namespace of the object; in `default` for one of cluster scope (the API server refuses others). */
  metadata: ObjectMeta;
  involvedObject: {
    apiVersion?: string;
    kind?: string;
    namespace?: string;
    name?: string;
    uid?: string;
  };
  type?: 'Normal' | 'Warning';
  /** One word in CamelCase, for programs. */
  reason?: string;
  /** At most 1024 bytes. */
  message?: string;
  source?: { component?: string; host?: string };
  /** How often it happened since `firstTimestamp`; RFC 3339 with whole seconds. */
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
}
