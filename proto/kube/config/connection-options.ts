// The flags of kubectl that say which server to reach and as whom.

/** Absent or empty means that the flag was not given. Paths are relative to the working folder. */
export interface ConnectionOptions {
  /** One file, which must exist; KUBECONFIG and ~/.kube/config are then not read. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  /** Works without any kubeconfig; then nobody is signed in unless other flags say who. */
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  /** Groups, like the uid, need a user to act as: `as` here or in the kubeconfig. */
  readonly asGroup?: readonly string[] | undefined;
  readonly asUid?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  /** http:// or https://; wins over the environment and over NO_PROXY. */
  readonly proxyUrl?: string | undefined;
}
