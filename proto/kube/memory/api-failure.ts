// A request that the in-memory API refuses, as the Status the real server would send.
import type { Denial } from './admission.ts';
import type { ServedKind } from './served-kind.ts';

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
  }[];
}

/**
 * `reason` is the machine-readable word of meta/v1 Status, `details` names the object; both as kube-apiserver 1.37.2
 * answers (test/fixtures/kube/answers.json).
 */
export class ApiFailure extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string | undefined, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): object {
    const { code, reason, message, details } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      details,
      code,
    };
  }
}

/** `nodes "a"`, `resourceslices.resource.k8s.io "x"`: how the server names an object in its messages. */
function named(kind: ServedKind, name: string): string {
  return `${kind.plural}${kind.group && `.${kind.group}`} "${name}"`;
}

/** `details.kind` of a Status holds the resource, not the kind (apimachinery, errors.go). */
function detailsOf(kind: ServedKind, name: string): StatusDetails {
  return { name, ...(kind.group && { group: kind.group }), kind: kind.plural };
}

/** 400: the body or the query cannot be understood. */
export function badRequest(message: string): ApiFailure {
  return new ApiFailure(400, 'BadRequest', message);
}

/** 404 of an object; clients tell it by `details.name` from the 404 of a kind. */
export function notFound(kind: ServedKind, name: string): ApiFailure {
  return new ApiFailure(404, 'NotFound', `${named(kind, name)} not found`, detailsOf(kind, name));
}

/** 409 as well, with a reason of its own. */
export function alreadyExists(kind: ServedKind, name: string): ApiFailure {
  const message = `${named(kind, name)} already exists`;
  return new ApiFailure(409, 'AlreadyExists', message, detailsOf(kind, name));
}

/** 409: the object is another one, or another version, than the writer believes. */
export function conflict(kind: ServedKind, name: string, why: string): ApiFailure {
  const message = `Operation cannot be fulfilled on ${named(kind, name)}: ${why}`;
  return new ApiFailure(409, 'Conflict', message, detailsOf(kind, name));
}

export interface FieldError {
  readonly field: string;
  readonly why: string;
}

/** 422: understood, but against a rule for `field`. The message names the kind, not the resource. */
export function invalid(kind: ServedKind, name: string, field: string, why: string): ApiFailure {
  return invalidFields(kind, name, [{ field, why }]);
}

/** The same for several fields at once. */
export function invalidFields(kind: ServedKind, name: string, errors: readonly FieldError[]): ApiFailure {
  const { name: _, ...details } = { ...detailsOf(kind, name), kind: kind.kind };
  const list = errors.map(({ field, why }) => `${field}: ${why}`).join(', ');
  const what = errors.length === 1 ? list : `[${list}]`;
  const text = `${kind.kind}${kind.group && `.${kind.group}`} "${name}" is invalid: ${what}`;
  const causes = errors.map(({ field, why }) => ({ reason: causeOf(why), message: why, field }));
  return new ApiFailure(422, 'Invalid', text, { ...(name && { name }), ...details, causes });
}

/** 403 or 422 of an admission policy, whose reason says which; the sentence is the same (seen with 1.37). */
export function denied(kind: ServedKind, name: string, { by, message, reason }: Denial): ApiFailure {
  const denial = `${by} denied request: ${message}`;
  const details = { ...detailsOf(kind, name), causes: [{ message: denial }] };
  const code = reason === 'Forbidden' ? 403 : 422;
  return new ApiFailure(code, reason ?? 'Invalid', `${named(kind, name)} is forbidden: ${denial}`, details);
}

/** A precondition of DELETE that does not hold; here the server names the kind instead of the resource. */
export function preconditionFailed(kind: ServedKind, name: string, why: string): ApiFailure {
  const message = `Operation cannot be fulfilled on ${kind.kind}${kind.group && `.${kind.group}`} "${name}": ${why}`;
  return new ApiFailure(409, 'Conflict', message, { ...detailsOf(kind, name), kind: kind.kind });
}

function causeOf(why: string): string {
  if (/^Unsupported/.test(why)) return 'FieldValueNotSupported';
  if (/ must be of type /.test(why)) return 'FieldValueTypeInvalid';
  return `FieldValue${/^(Required|Forbidden)/.exec(why)?.[1] ?? 'Invalid'}`;
}

/** What a JSON patch that does not apply gets, a failed `test` included: the real server tells no more. */
export function patchFailed(): ApiFailure {
  const message = 'the server rejected our request due to an error in our request';
  return new ApiFailure(422, 'Invalid', message, {});
}

/** Not of an object: the kind, the subresource or the path is unknown. */
export function notServed(): ApiFailure {
  return new ApiFailure(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 415. */
export function unsupportedMedia(accepted: readonly string[]): ApiFailure {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiFailure(415, 'UnsupportedMediaType', message);
}

/** 405: a verb that this path does not have. */
export function notAllowed(): ApiFailure {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiFailure(405, 'MethodNotAllowed', message, {});
}

/** 410: history that is needed for the answer is gone. */
export function expired(message: string): ApiFailure {
  return new ApiFailure(410, 'Expired', message);
}
