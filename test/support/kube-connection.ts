// A ClusterConnection for tests, and what tests of the client ask again and again.
import { TypedError } from '../../proto/api/typed-error.ts';
import type { ClusterConnection } from '../../proto/kube/connection.ts';

/** To `server`, with the bearer token when one is given. */
export function connectionTo(
  server: string,
  { token, ...over }: Partial<ClusterConnection> & { token?: string } = {},
): ClusterConnection {
  return {
    server,
    tls: {},
    namespace: 'default',
    source: 'context test of /kube/config',
    credentials: async () => ({ headers: token === undefined ? {} : { authorization: `Bearer ${token}` } }),
    invalidate: () => false,
    ...over,
  };
}

/** The TypedError that `work` rejects with; anything else fails the test. */
export async function typedErrorOf(work: Promise<unknown>): Promise<TypedError> {
  const outcome: unknown = await work.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (outcome instanceof TypedError) return outcome;
  throw new Error(`expected a TypedError, not ${JSON.stringify(outcome) ?? String(outcome)}`, {
    cause: outcome,
  });
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await typedErrorOf(work)).code;
}

/** The first `count` values; then the source is closed. */
export async function take<T>(source: AsyncIterable<T>, count = Number.POSITIVE_INFINITY): Promise<T[]> {
  const taken: T[] = [];
  if (count === 0) return taken;
  for await (const value of source) {
    taken.push(value);
    if (taken.length === count) break;
  }
  return taken;
}

/** Waits until `condition` holds; fails after `limit` ms. */
export async function until(condition: () => boolean, what = 'the condition', limit = 2000): Promise<void> {
  const end = performance.now() + limit;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what} did not come true`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
