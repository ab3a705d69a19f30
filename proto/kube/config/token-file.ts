// A bearer token in a file that someone else renews, such as the kubelet for a pod's service account.
import { bearerToken } from './bearer-token.ts';
import type { ConnectionPorts } from './connection-ports.ts';
import type { Credential, CredentialSource } from './credential-source.ts';
import { readText } from './text-file.ts';

/** The kubelet renews at 80 % of a token's life, at least 10 minutes; client-go reads again every minute too. */
const PERIOD = 60_000;

/**
 * Reads the file at most once a minute. While it cannot be read or is empty, the token read before stays in use;
 * without one, `fallback` (the `token` beside `tokenFile`) does; without both `current` throws BAD_KUBECONFIG.
 */
export class TokenFile implements CredentialSource {
  readonly #ports: ConnectionPorts;
  readonly #path: string;
  readonly #where: string;
  readonly #fallback: string;
  #authorization = '';
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(ports: ConnectionPorts, path: string, where: string, fallback: string) {
    this.#ports = ports;
    this.#path = path;
    this.#where = where;
    this.#fallback = fallback;
  }

  async current(): Promise<Credential> {
    const now = this.#ports.now();
    if (now - this.#readAt >= PERIOD) {
      this.#authorization = await this.#read();
      this.#readAt = now;
    }
    return { authorization: this.#authorization };
  }

  invalidate(): boolean {
    this.#readAt = Number.NEGATIVE_INFINITY;
    return true;
  }

  async #read(): Promise<string> {
    try {
      const text = await readText(this.#ports, this.#path, `tokenFile of ${this.#where}`);
      return bearerToken(text, `${this.#where} in ${this.#path}`, 'BAD_KUBECONFIG');
    } catch (error) {
      if (this.#authorization !== '') return this.#authorization;
      if (this.#fallback === '') throw error;
      return bearerToken(this.#fallback, this.#where, 'BAD_KUBECONFIG');
    }
  }
}
