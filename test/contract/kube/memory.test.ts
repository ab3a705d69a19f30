// The client's contract against the API in memory.
import { afterAll } from 'vitest';
import { servedKind } from '../../../proto/kube/memory/custom-kind.ts';
import { type MemoryApi, startMemoryApi } from '../../../proto/kube/memory/memory-api.ts';
import { connectionTo } from '../../support/kube-connection.ts';
import { GADGET_CRD, gadgets, POLICY_NAME, RESERVED, UNLUCKY } from './gadget-kind.ts';
import { kubeClientContract } from './suite.ts';

let api: MemoryApi | undefined;

afterAll(() => api?.close());

kubeClientContract('the API in memory', async () => {
  const memory = await startMemoryApi({
    tokens: { a: 'admin', j: 'jane', b: 'admin' },
    authorize: ({ user }) => user !== 'jane',
    admit: ({ resource, object }) => {
      const { size } = (object.spec ?? {}) as { size?: number };
      const denial = [UNLUCKY, RESERVED].find((each) => each.size === size);
      if (resource !== gadgets.plural || !denial) return undefined;
      return { by: `ValidatingAdmissionPolicy '${POLICY_NAME}' with binding '${POLICY_NAME}'`, ...denial };
    },
  });
  api = memory;
  memory.store.register(servedKind(GADGET_CRD));
  const as = (token: string) => connectionTo(memory.url, { token });
  return {
    admin: as('a'),
    jane: as('j'),
    stranger: as('of-nobody'),
    namespace: 'contract',
    watchSeconds: 1,
    forget: async () => memory.store.compact(),
    busy: as('b'),
    overload: async () => memory.faults.once({ status: 429, retryAfter: 1 }, (method) => method === 'POST'),
  };
});
