// What an answer other than 2xx means: HTTP status and the Status object of the API machinery -> TypedError.
import type { ErrorCode } from '../../api/error-codes.ts';
import { TypedError } from '../../api/typed-error.ts';
import { type CallSubject, kindText, subjectText } from './call-subject.ts';

/** The parts of meta/v1 Status that we read. */
export interface ApiStatus {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

/** `body` is what the server sent: a Status, or the text of a proxy or of a handler that knows no Status. */
export function answerError(subject: CallSubject, httpStatus: number, body: string): TypedError {
  return statusError(subject, parseStatus(body) ?? { message: excerpt(body) }, httpStatus);
}

/** The same for a Status that came inside a watch; `httpStatus` counts when the Status has no code. */
export function statusError(subject: CallSubject, status: ApiStatus, httpStatus = 500): TypedError {
  const httpCode = status.code ?? httpStatus;
  const code = errorCode(subject, status, httpCode);
  const said = plainText(String(status.message ?? '')) || `the server answered with status ${httpCode}`;
  return new TypedError(code, errorText(code, subject, status, said), hint(code, subject, status), {
    cause: status,
  });
}

function errorText(code: ErrorCode, subject: CallSubject, { reason }: ApiStatus, said: string): string {
  if (code === 'API_NOT_SERVED') return notServed(subject);
  // The sentence of the API server, unlike that of a proxy, names user, verb, resource and namespace.
  return code === 'FORBIDDEN' && reason === 'Forbidden' ? said : `${subjectText(subject)}: ${said}`;
}

/** By HTTP status, not by reason: proxies and aggregated servers send statuses with reasons of their own. */
function errorCode(subject: CallSubject, status: ApiStatus, httpCode: number): ErrorCode {
  // A version from the future: the server was restored from an older backup. Only a new list helps, as with 410.
  if (status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge')) return 'GONE';
  switch (httpCode) {
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'FORBIDDEN';
    case 404:
      // An unknown kind is answered by the path mux in plain text, or by a Status that names no object.
      return subject.type && status.details?.name ? 'NOT_FOUND' : 'API_NOT_SERVED';
    case 405:
      return 'API_NOT_SERVED';
    case 409:
      return 'CONFLICT';
    case 410:
      return 'GONE';
    case 400:
    case 406:
    case 413:
    case 415:
    case 422:
      return 'INVALID_OBJECT';
    case 429:
      return 'TOO_MANY_REQUESTS';
    case 408:
    case 504:
      return 'TIMED_OUT';
    default:
      return httpCode >= 500 ? 'SERVER_ERROR' : 'PROTOCOL';
  }
}

function notServed({ verb, type, path, server }: CallSubject): string {
  if (!type) return `${server} does not serve ${path}`;
  const version = type.group === '' ? type.version : `${type.group}/${type.version}`;
  return `${server} does not serve ${verb} of ${kindText(type)} (${version})`;
}

function hint(
  code: ErrorCode,
  { verb, type, key, server, source }: CallSubject,
  { details }: ApiStatus,
): string | undefined {
  // Policies and schemas say what is wrong with the object (seen with 1.37); missing rights and failed tests do not.
  const isObjectWrong = (details?.causes?.length ?? 0) > 0;
  const namespace = key?.namespace === undefined ? '' : ` -n ${key.namespace}`;
  switch (code) {
    case 'UNAUTHENTICATED':
      return `log in again, or check the user of ${source}`;
    case 'FORBIDDEN':
      if (isObjectWrong) return 'a rule of the cluster refuses this object; more rights do not help';
      return type ? `check with: kubectl auth can-i ${verb} ${kindText(type)}${namespace}` : undefined;
    case 'API_NOT_SERVED':
      return 'install what defines this kind, or check with: kubectl api-resources';
    case 'CONFLICT':
      return 'the object exists or was changed meanwhile: read it again and repeat';
    case 'INVALID_OBJECT':
      return verb === 'patch' && !isObjectWrong
        ? 'the object may have changed meanwhile: read it again and repeat'
        : undefined;
    case 'TOO_MANY_REQUESTS':
      return 'the server is overloaded or limits this user: try again later';
    case 'PROTOCOL':
      return `check that ${server} is a Kubernetes API server and not a login page or a proxy`;
    default:
      return undefined;
  }
}

function parseStatus(body: string): ApiStatus | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const isStatus =
      typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
    return isStatus ? (value as ApiStatus) : undefined;
  } catch {
    return undefined;
  }
}

/** Text that is not ours, safe to show on a terminal: in one line, without control characters. */
function plainText(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim();
}

/** The begin of it. */
export function excerpt(text: string): string {
  const plain = plainText(text);
  return plain.length > 120 ? `${plain.slice(0, 120)}…` : plain;
}
