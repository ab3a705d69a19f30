// The client's contract against the API in memory.
import { afterAll } from 'vitest';
import { type MemoryApi, startMemoryApi } from '../../../proto/kube/memory/memory-api.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import { connectionTo } from '../../support/kube-connection.ts';
import { kubeClientContract } from './suite.ts';

let api: MemoryApi | undefined;

afterAll(() => api?.close());

kubeClientContract('the API in memory', async () => {
  api = await startMemoryApi();
  const client = createKubeClient(connectionTo(api.url), { watchSeconds: [1, 1] });
  return { client, namespace: 'contract', forgotten: '1' };
});
