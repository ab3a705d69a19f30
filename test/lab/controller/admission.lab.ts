// Whose device is whose: what people, agents and controllers may write, and what each is told who may not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEVICE_CLASS, DRIVER } from '../../../proto/api/names.ts';
import type { KubeClient, KubeObject, ResourceType } from '../../../proto/kube/client.ts';
import { hostPorts } from '../../../proto/kube/config/host-ports.ts';
import { resolveConnection } from '../../../proto/kube/config/resolve-connection.ts';
import { RESOURCE_TYPES } from '../../../proto/kube/resource-types.ts';
import { createKubeClient } from '../../../proto/kube/rest/kube-client.ts';
import type { Cluster } from '../cluster.ts';
import type { Manifest } from '../manifests.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { controllersOn } from './controllers.ts';
import { accountUser, agentUser } from './token-user.ts';

const OTHER = 'other-team';
const DRA = 'resource.k8s.io/v1';

let cluster: Cluster;
/** Everybody who tries something. kubectl would read an object before it patches it, which not all of them may. */
const people = new Map<string, KubeClient>();

async function enter(who: string, flags: { kubeconfig: string; as?: string }): Promise<void> {
  people.set(who, createKubeClient(await resolveConnection(flags, {}, hostPorts())));
}

beforeAll(async () => {
  cluster = await sharedCluster();
  await controllersOn(cluster);
  await cluster.apply([...team(), foreignSlice()]);
  const { metadata } = await cluster.get<{ metadata: { uid: string } }>(
    'serviceaccount',
    'default',
    '-n',
    OTHER,
  );
  owner = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default', uid: metadata.uid };
  const { kubeconfig } = cluster;
  await enter('admin', { kubeconfig });
  // Has all rights on claims, templates and VMs of one namespace.
  await enter('alice', { kubeconfig, as: 'alice' });
  for (const node of ['a', 'b']) {
    await enter(`agent of ${node}`, { kubeconfig: await agentUser(cluster, node) });
  }
  await enter('stolen account of the agents', { kubeconfig: await accountUser(cluster, 'usb-agent') });
  await enter('controller', { kubeconfig: await accountUser(cluster, 'usb-controller') });
});

afterAll(async () => {
  for (const client of people.values()) client.close();
  await cluster?.delete([...team(), foreignSlice()]);
});

function team(): Manifest[] {
  const metadata = { name: 'alice', namespace: OTHER };
  const rbac = { apiGroup: 'rbac.authorization.k8s.io' };
  const everything = (group: string) => ({ apiGroups: [group], resources: ['*'], verbs: ['*'] });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OTHER } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata,
      rules: ['', 'resource.k8s.io', 'virtualization.deckhouse.io'].map(everything),
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { ...rbac, kind: 'Role', name: 'alice' },
      subjects: [{ ...rbac, kind: 'User', name: 'alice' }],
    },
  ];
}

const requests = (deviceClassName: string) => ({
  devices: { requests: [{ name: 'usb', exactly: { deviceClassName } }] },
});

const claim = (deviceClassName = DEVICE_CLASS): Manifest => ({
  apiVersion: DRA,
  kind: 'ResourceClaim',
  metadata: { name: 'mine', namespace: OTHER },
  spec: requests(deviceClassName),
});

const template = (deviceClassName = DEVICE_CLASS): Manifest => ({
  apiVersion: DRA,
  kind: 'ResourceClaimTemplate',
  metadata: { name: 'mine', namespace: OTHER },
  spec: { spec: requests(deviceClassName) },
});

/** Somebody who exists, so that the garbage collector does not take what it owns. */
let owner: { apiVersion: string; kind: string; name: string; uid: string };

const slice = (pool: string, driver = DRIVER, name = 'made-by-hand'): Manifest => ({
  apiVersion: DRA,
  kind: 'ResourceSlice',
  metadata: { name },
  spec: {
    driver,
    pool: { name: pool, generation: 999, resourceSliceCount: 1 },
    allNodes: true,
    devices: [{ name: 'usb-fake' }],
  },
});

const foreignSlice = () => slice('a', 'other.example.com', 'foreign');

type Attempt = (client: KubeClient) => Promise<unknown>;

const TRY = { dryRun: true } as const;

const creates =
  (type: ResourceType, object: KubeObject): Attempt =>
  (client) =>
    client.create(type, object, TRY);

const patches =
  (type: ResourceType, name: string, body: object, subresource?: 'status'): Attempt =>
  (client) =>
    client.patch(type, { name }, 'merge', body, { ...TRY, ...(subresource && { subresource }) });

const { resourceClaims, resourceClaimTemplates, resourceSlices, usbNodeStatuses, nodeUsbDevices, nodes } =
  RESOURCE_TYPES;

/** What the server says to a request that changes nothing when it is allowed. */
async function answerTo(who: string, attempt: Attempt): Promise<string> {
  const client = people.get(who);
  if (!client) throw new Error(`nobody is called ${who}`);
  return attempt(client).then(
    () => 'allowed',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

const MARK = 'virtualization.deckhouse.io/usb-gateway';

describe('the USB devices of others', () => {
  it.each([
    [
      'alice',
      'a template',
      creates(resourceClaimTemplates, template()),
      'only kubectl-virt/usb-controller writes templates',
    ],
    ['alice', 'a claim', creates(resourceClaims, claim()), 'only the resource-claim controller makes claims'],
    ['admin', 'a claim', creates(resourceClaims, claim()), 'only the resource-claim controller makes claims'],
    ['controller', 'a template', creates(resourceClaimTemplates, template()), 'allowed'],
    ['alice', 'a claim of another class', creates(resourceClaims, claim('gpus.example.com')), 'allowed'],
    [
      'alice',
      'a template of another class',
      creates(resourceClaimTemplates, template('gpus.example.com')),
      'allowed',
    ],
  ])('%s makes %s', async (who, _, attempt, answer) => {
    expect(await answerTo(who, attempt)).toContain(answer);
  });

  it.each([
    ['finalizers', { finalizers: ['example.com/keep'] }],
    ['owners', { ownerReferences: [] }],
    ['labels', { labels: { mine: 'yes' } }],
  ])('cannot be kept through %s of the template', async (_, metadata) => {
    const owned = { metadata: { ...template().metadata, ownerReferences: [owner] }, spec: template().spec };
    await people.get('controller')?.create(resourceClaimTemplates, owned);
    try {
      const name = { namespace: OTHER, name: 'mine' };
      const keep: Attempt = (client) =>
        client.patch(resourceClaimTemplates, name, 'merge', { metadata }, TRY);
      expect(await answerTo('alice', keep)).toContain('only kubectl-virt/usb-controller writes templates');
    } finally {
      await people.get('controller')?.delete(resourceClaimTemplates, { namespace: OTHER, name: 'mine' });
    }
  });

  it('cannot be assigned by somebody without rights on the cluster', async () => {
    const take = patches(nodeUsbDevices, 'usb-any', { spec: { assignedNamespace: OTHER } });
    expect(await answerTo('alice', take)).toContain('cannot patch resource "nodeusbdevices"');
  });
});

describe('what a node says of its devices', () => {
  it.each([
    ['agent of a', 'a', 'allowed'],
    ['agent of b', 'a', 'only kubectl-virt/usb-agent on node a'],
    ['stolen account of the agents', 'a', 'only kubectl-virt/usb-agent on node a'],
    ['admin', 'a', 'only kubectl-virt/usb-agent on node a'],
  ])('%s writes a ResourceSlice of node %s', async (who, pool, answer) => {
    expect(await answerTo(who, creates(resourceSlices, slice(pool)))).toContain(answer);
  });

  it('does not touch the slices of other drivers', async () => {
    const other = patches(resourceSlices, 'foreign', { spec: { pool: { generation: 1_000 } } });
    expect(await answerTo('admin', other)).toBe('allowed');
  });

  it.each([
    ['agent of a', 'allowed'],
    ['agent of b', 'only kubectl-virt/usb-agent on node a writes the USBNodeStatus'],
    ['stolen account of the agents', 'only kubectl-virt/usb-agent on node a writes the USBNodeStatus'],
    ['admin', 'only kubectl-virt/usb-agent on node a writes the USBNodeStatus'],
  ])('%s writes the USBNodeStatus of node a', async (who, answer) => {
    const lie = patches(usbNodeStatuses, 'a', { status: { agentVersion: 'none' } }, 'status');
    expect(await answerTo(who, lie)).toContain(answer);
  });

  it.each([
    ['agent of a', { labels: { [MARK]: 'false' } }, 'allowed'],
    ['agent of b', { labels: { [MARK]: 'false' } }, 'mark that node'],
    ['stolen account of the agents', { labels: { [MARK]: 'false' } }, 'mark that node'],
    ['agent of a', { labels: { 'node-role.kubernetes.io/control-plane': '' } }, 'changes only the labels'],
    ['agent of a', { annotations: { note: 'x' } }, 'changes only the labels'],
    ['controller', { labels: { [MARK]: null } }, 'allowed'],
    ['controller', { labels: { role: 'x' } }, 'changes only the labels'],
    ['admin', { labels: { role: 'x' } }, 'allowed'],
  ])('%s changes %j of node a', async (who, metadata, answer) => {
    expect(await answerTo(who, patches(nodes, 'a', { metadata }))).toContain(answer);
  });

  it('leaves the rest of a node to others', async () => {
    const drain = patches(nodes, 'a', { spec: { unschedulable: true } });
    expect(await answerTo('agent of a', drain)).toContain('changes only labels and annotations');
  });
});
