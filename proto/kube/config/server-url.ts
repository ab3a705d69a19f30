// The server field of a cluster as a URL.
import { TypedError } from '../../api/typed-error.ts';

/**
 * Scheme, host, port and path prefix without a final slash. Throws BAD_KUBECONFIG for what is not http or https:
 * without a scheme kubectl would guess, and guess http.
 */
export function serverUrl(server: string, where: string): string {
  if (server === '')
    throw new TypedError('BAD_KUBECONFIG', `${where} names no server`, 'add one, or give --server');
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url?.hostname || !/^https?:$/.test(url.protocol)) {
    throw new TypedError(
      'BAD_KUBECONFIG',
      `the server of ${where} is ${JSON.stringify(server)}`,
      'it must begin with https:// or http://',
    );
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}
