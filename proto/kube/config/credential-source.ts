// What signs a request in: a value that never changes, a token file or a credential plugin.

export interface Credential {
  /** Value of the Authorization header. */
  readonly authorization?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface CredentialSource {
  current(): Promise<Credential>;
  /** Drops what is cached. True when the next `current()` may differ. */
  invalidate(): boolean;
}

export function fixedCredential(credential: Credential): CredentialSource {
  return { current: async () => credential, invalidate: () => false };
}
