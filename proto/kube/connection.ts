// How to reach one API server as one person: what the kubeconfig reader makes and the client uses.
import type { SecureContextOptions } from 'node:tls';

export interface ClusterConnection {
  /** e.g. `https://10.7.0.254:6443`, without a final slash; may hold a path prefix. */
  readonly server: string;
  /** ca, cert, key as PEM text. */
  readonly tls: SecureContextOptions & { rejectUnauthorized?: boolean; servername?: string };
  /** URL of an HTTP(S) proxy, after HTTPS_PROXY and NO_PROXY were taken into account. */
  readonly proxy?: string;
  /** Default namespace of the context; `default` when it has none. */
  readonly namespace: string;
  /** Where this came from, for messages: `context lab of /home/x/.kube/config`. */
  readonly source: string;
  /**
   * What to add to a request now: Authorization and impersonation headers, and a client certificate when an exec
   * plugin gave one. Token files are read again when they change; exec credentials are kept until they expire.
   */
  credentials(): Promise<RequestCredentials>;
  /** Called after a 401: drops cached credentials. True when a second try makes sense. */
  invalidate(): boolean;
}

export interface RequestCredentials {
  /** A list becomes one header line an element: Impersonate-Group is never split at commas by the server. */
  readonly headers: Record<string, string | string[]>;
  readonly cert?: string;
  readonly key?: string;
}
