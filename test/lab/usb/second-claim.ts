// A claim that gets a device which another claim has, as no scheduler would do it: by hand, with a pod that waits for it.
import { DRIVER } from '../../../proto/api/names.ts';
import type { ResourceClaim } from '../../../proto/api/resource.ts';
import type { Cluster } from '../cluster.ts';
import type { Manifest } from '../manifests.ts';
import { waitFor } from '../wait.ts';
import { claimManifest, podManifest } from './claims.ts';

/** Makes claim and pod `name` on a node, with the allocation of the claim `of`. */
export async function secondClaim(
  cluster: Cluster,
  { name, of, node }: { name: string; of: string; node: string },
): Promise<void> {
  const { status } = await cluster.get<ResourceClaim>('resourceclaim', of);
  const result = status?.allocation?.devices?.results?.find(({ driver }) => driver === DRIVER);
  if (!result) throw new Error(`claim ${of} has no device`);
  const { device } = result;
  await cluster.apply([claimManifest({ name, device })]);
  await patchStatus(cluster, name, { allocation: status?.allocation });
  await cluster.apply([placed(podManifest({ name, node, device }), node)]);
  const { metadata } = await cluster.get<{ metadata: { uid: string } }>('pod', name);
  await patchStatus(cluster, name, { reservedFor: [{ resource: 'pods', name, uid: metadata.uid }] });
}

/** With the node given the scheduler does not look at it. */
function placed(pod: Manifest, nodeName: string): Manifest {
  return { ...pod, spec: { ...(pod.spec as object), nodeName } };
}

async function patchStatus(cluster: Cluster, name: string, status: object): Promise<void> {
  const patch = JSON.stringify({ status });
  await cluster.kubectl('patch', 'resourceclaim', name, '--subresource=status', '--type=merge', '-p', patch);
}

/** What the kubelet told of the pod that matches, once it did. */
export async function eventOf(cluster: Cluster, pod: string, text: string): Promise<string> {
  interface Events {
    readonly items: { readonly message: string }[];
  }
  return waitFor(
    `an event of pod ${pod} says ${text}`,
    async () => {
      const where = `--field-selector=involvedObject.kind=Pod,involvedObject.name=${pod}`;
      const { items } = await cluster.get<Events>('events', where);
      return items.find(({ message }) => message.includes(text))?.message;
    },
    { timeout: 90_000 },
  );
}
