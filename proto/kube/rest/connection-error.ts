// What a failed connection means: error codes of Node, OpenSSL and the HTTP parser -> TypedError.
import type { ErrorCode } from '../../api/error-codes.ts';
import { TypedError } from '../../api/typed-error.ts';
import { type CallSubject, subjectText } from './call-subject.ts';

/** Pattern of the code, what it becomes, what happened, and the hint, in which {server} and {source} are filled. */
type Meaning = readonly [pattern: RegExp, code: ErrorCode, what: string, hint: string];

const EXPIRED = 'CERTIFICATE_EXPIRED';
const UNTRUSTED = 'CERTIFICATE_UNTRUSTED';
const UNREACHABLE = 'SERVER_UNREACHABLE';
const CHECK_CLOCK = 'check the clock of this machine';
const CHECK_SERVER = 'check that {server} is a Kubernetes API server';

/** First match wins. Verification errors carry the names of OpenSSL's X509_V_ERR, alerts those of its reasons. */
const MEANINGS: readonly Meaning[] = [
  [/^CERT_HAS_EXPIRED$/, EXPIRED, 'the certificate of the server has expired', `renew it, or ${CHECK_CLOCK}`],
  [/^CERT_NOT_YET_VALID$/, EXPIRED, 'the certificate of the server is not valid yet', CHECK_CLOCK],
  [/ALERT_CERTIFICATE_EXPIRED$/, EXPIRED, 'the client certificate has expired', 'renew the one of {source}'],
  [
    /ALERT_(BAD_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE)$/,
    'UNAUTHENTICATED',
    'the server does not accept the client certificate',
    'check the user of {source}',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    UNTRUSTED,
    'the certificate of the server is for another name',
    'use a name of the certificate as server, or give --tls-server-name',
  ],
  [
    /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/,
    UNTRUSTED,
    'the certificate of the server is signed by an unknown authority',
    'check certificate-authority of {source}',
  ],
  [
    /^ERR_OSSL_/,
    'BAD_KUBECONFIG',
    'a certificate or key cannot be used',
    'check the certificates and keys of {source}',
  ],
  [/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/, UNREACHABLE, 'the server does not speak TLS', CHECK_SERVER],
  [/^HPE_/, 'PROTOCOL', 'the server does not speak HTTP', CHECK_SERVER],
  [/^ECONNREFUSED$/, UNREACHABLE, 'connection refused', 'check that it runs, and the address in {source}'],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    UNREACHABLE,
    'the name of the server is unknown',
    'check the name in {source}, DNS and VPN',
  ],
  [/^(ECONNRESET|EPIPE)$/, UNREACHABLE, 'the connection was cut', 'the server may be restarting: try again'],
];

const OTHER: Meaning = [
  /^/,
  UNREACHABLE,
  'the connection failed',
  'check network, VPN and proxy to {server}',
];

/** TypedErrors (of the deadline, of the proxy) pass through, and so do errors without a code: they are bugs. */
export function connectionError(subject: CallSubject, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof TypedError || typeof code !== 'string') return error;
  const [, meaning, what, hint] = MEANINGS.find(([pattern]) => pattern.test(code)) ?? OTHER;
  const text = `${subjectText(subject)}: ${what} (${message || code})`;
  return new TypedError(meaning, text, filled(hint, subject), { cause: error });
}

function filled(hint: string, subject: CallSubject): string {
  return hint.replace('{server}', subject.server).replace('{source}', subject.source);
}
