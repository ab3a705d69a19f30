// What the contract needs of an API server, in memory or real.
import type { KubeClient } from '../../../proto/kube/client.ts';
import type { ClusterConnection } from '../../../proto/kube/connection.ts';

export interface KubeUnderTest {
  /** May do everything. */
  readonly admin: ClusterConnection;
  /** A user that may do nothing. */
  readonly jane: ClusterConnection;
  /** Holds a token that the server does not know. */
  readonly stranger: ClusterConnection;
  /** Exists, and is used by nobody else. The kind and the policy of gadget-kind.ts are there as well. */
  readonly namespace: string;
  /** Seconds of the shortest watch that gets a bookmark before it ends. */
  readonly watchSeconds: number;
  /** Makes the server forget the states before now: lists cannot be continued from them. */
  forget(): Promise<void>;
  /** May write to the namespace. For a second or two after `overload` its creates get a 429 with `Retry-After: 1`. */
  readonly busy: ClusterConnection;
  overload(): Promise<void>;
}

/** A watch of gadgets cannot go back to this version: the kind was defined later. */
export const FORGOTTEN = '1';

/** For the cases: the server, and a client of its admin whose watches are short. */
export interface Subject {
  readonly kube: KubeUnderTest;
  readonly client: KubeClient;
}
