// A client whose connections go through a proxy that the test can cut; both end with the test.
import { onTestFinished } from 'vitest';
import type { KubeClient } from '../../../proto/kube/client.ts';
import { createKubeClient, type KubeClientOptions } from '../../../proto/kube/rest/kube-client.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import type { Subject } from './kube-under-test.ts';

export async function proxiedClient(
  { kube: { admin } }: Subject,
  options: KubeClientOptions = {},
): Promise<{ client: KubeClient; proxy: TcpProxy }> {
  const server = new URL(admin.server);
  const port = Number(server.port) || (server.protocol === 'https:' ? 443 : 80);
  const proxy = await TcpProxy.to(server.hostname, port);
  const client = createKubeClient(
    { ...admin, server: `${server.protocol}//127.0.0.1:${proxy.port}` },
    options,
  );
  onTestFinished(async () => {
    client.close();
    await proxy.close();
  });
  return { client, proxy };
}
