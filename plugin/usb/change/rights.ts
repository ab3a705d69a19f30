// Asks the server before anything is changed whether this person may take every step of a plan.
import { TypedError } from '../../../proto/api/typed-error.ts';
import type { KubeClient, KubeObject } from '../../../proto/kube/client.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { objectsOf } from './goal.ts';
import type { ObjectAddress, Step } from './step.ts';

/** One question to the authorizer. */
export interface Right extends ObjectAddress {
  readonly verb: 'patch' | 'list' | 'watch';
}

/** authorization.k8s.io/v1, as far as it is used. */
interface AccessReview extends KubeObject {
  readonly spec: { readonly resourceAttributes: object };
  readonly status?: { readonly allowed?: boolean };
}

/** Each right once, in the order of the steps. */
export function rightsOf(steps: readonly Step[]): Right[] {
  const all = steps.flatMap((step): Right[] => {
    if (step.kind === 'patch') return [{ verb: 'patch', type: step.type, key: step.key }];
    return Object.values(objectsOf(step.goal)).flatMap(({ type, key }): Right[] => [
      { verb: 'list', type, key },
      { verb: 'watch', type, key },
    ]);
  });
  return [...new Map(all.map((right) => [rightText(right), right])).values()];
}

/**
 * All questions side by side. Throws FORBIDDEN with the rights that are missing. Where the questions themselves are
 * refused, the steps show it.
 */
export async function checkRights(kube: KubeClient, rights: readonly Right[]): Promise<void> {
  const allowed = await Promise.all(rights.map((right) => isAllowed(kube, right)));
  const missing = rights.filter((_, index) => !allowed[index]).map(rightText);
  if (missing.length === 0) return;
  throw new TypedError(
    'FORBIDDEN',
    `you may not ${missing.join(', nor ')}`,
    'nothing was changed; ask an administrator of the cluster for these rights',
  );
}

/** The name goes along: a role may be limited to it (`resourceNames`). */
async function isAllowed(kube: KubeClient, { verb, type, key }: Right): Promise<boolean> {
  const { group, version, plural: resource } = type;
  const review: AccessReview = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { verb, group, version, resource, ...key } },
  };
  try {
    const { status } = await kube.create(RESOURCE_TYPES.selfSubjectAccessReviews, review);
    return status?.allowed !== false;
  } catch (error) {
    if (error instanceof TypedError && (error.code === 'FORBIDDEN' || error.code === 'API_NOT_SERVED'))
      return true;
    throw error;
  }
}

function rightText({ verb, type, key }: Right): string {
  const place = key.namespace === undefined ? '' : ` in namespace ${key.namespace}`;
  return `${verb} ${type.plural}.${type.group} ${JSON.stringify(key.name)}${place}`;
}
