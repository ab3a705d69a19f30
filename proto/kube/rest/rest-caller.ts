// Makes one call to the API server from begin to end: credentials, deadline, the retries that are safe, typed errors.
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { TypedError } from '../../api/typed-error.ts';
import type { CallOptions } from '../client.ts';
import type { ClusterConnection, RequestCredentials } from '../connection.ts';
import type { CallSubject } from './call-subject.ts';
import { subjectText } from './call-subject.ts';
import { expiredCertificate } from './client-certificate.ts';
import { connectionError } from './connection-error.ts';
import { withDeadline } from './deadline.ts';
import { HttpExchange, type HttpRequest } from './http-exchange.ts';
import { retryAfter } from './retry-after.ts';

/** A server that is overloaded for longer than this many waits is the caller's matter. */
const MOST_WAITS = 3;

/**
 * Retries are few on purpose: callers are loops that come again, and a person wants to hear what is wrong.
 * 401: once, with renewed credentials. 429: any verb, bounded. A kept connection that was dead: reads only.
 */
export class RestCaller {
  readonly #connection: ClusterConnection;
  readonly #exchange: HttpExchange;

  constructor(connection: ClusterConnection) {
    this.#connection = connection;
    this.#exchange = new HttpExchange(connection);
  }

  /**
   * `read` takes the answer inside the deadline and throws for a status other than 2xx. The deadline does not count
   * the time for credentials: an exec plugin may ask a person to log in. After a 401 a second try is made when
   * the connection can renew its credentials.
   */
  async call<T>(
    subject: CallSubject,
    request: HttpRequest,
    call: CallOptions,
    read: (answer: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    for (let renewed = false; ; renewed = true) {
      const credentials = await this.#connection.credentials();
      try {
        return await withDeadline(call, subject, async (signal) =>
          read(await this.#answer(request, credentials, signal)),
        );
      } catch (error) {
        const typed = connectionError(subject, error);
        if (!(typed instanceof TypedError && typed.code === 'UNAUTHENTICATED')) throw typed;
        if (renewed || !this.#connection.invalidate()) throw this.#refused(subject, typed, credentials);
      }
    }
  }

  close(): void {
    this.#exchange.close();
  }

  /** A 429 was not worked on by the server, so any verb may be sent again. */
  async #answer(
    request: HttpRequest,
    credentials: RequestCredentials,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    for (let waits = 0; ; waits++) {
      const answer = await this.#exchange.send(request, credentials, signal);
      if (answer.statusCode !== 429 || waits === MOST_WAITS) return answer;
      answer.resume();
      await sleep(retryAfter(answer.headers['retry-after'], Date.now()), undefined, { signal });
    }
  }

  /** Says more than the server's bare 401 where the reason can be seen from here. */
  #refused(subject: CallSubject, error: TypedError, { cert }: RequestCredentials): TypedError {
    const expired = expiredCertificate(cert ?? this.#connection.tls.cert, Date.now());
    if (expired === undefined) return error;
    const { source } = this.#connection;
    return new TypedError(
      'CERTIFICATE_EXPIRED',
      `${subjectText(subject)}: the client certificate has expired on ${expired}`,
      `renew the certificate of ${source}`,
      { cause: error },
    );
  }
}
