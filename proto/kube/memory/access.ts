// Who asks, and whether they may.
import { ApiFailure } from './api-failure.ts';

/** Attributes of a request as RBAC sees them. */
export interface AccessRequest {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** `nodes`, `nodes/status`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** False refuses the request. */
export type Authorize = (request: AccessRequest) => boolean;

/** The user of a bearer token; without a table everybody is the administrator. Throws 401. */
export function userOf(
  tokens: Readonly<Record<string, string>> | undefined,
  authorization: string | undefined,
): string {
  if (!tokens) return 'kubernetes-admin';
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const user = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  if (user === undefined) throw new ApiFailure(401, 'Unauthorized', 'Unauthorized');
  return user;
}

/** The 403 with the sentence of the real server. */
export function forbidden({ user, verb, group, resource, namespace, name }: AccessRequest): ApiFailure {
  const plural = resource.split('/')[0] ?? '';
  const subject = `${plural}${group && `.${group}`}${name === undefined ? '' : ` "${name}"`}`;
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const message = `${subject} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${scope}`;
  return new ApiFailure(403, 'Forbidden', message, {
    ...(name !== undefined && { name }),
    ...(group && { group }),
    kind: plural,
  });
}
