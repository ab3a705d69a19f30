// Whose device is whose: what people, agents and controllers may write, and what each is told who may not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEVICE_CLASS, DRIVER } from '../../../proto/api/names.ts';
import type { Cluster } from '../cluster.ts';
import type { Manifest } from '../manifests.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { controllersOn } from './controllers.ts';
import { accountUser, agentUser } from './token-user.ts';

const OTHER = 'other-team';
const DRA = 'resource.k8s.io/v1';

let cluster: Cluster;
/** Flags that make kubectl somebody else. */
const as: Record<string, string[]> = {
  admin: [],
  // All rights on claims, templates and VMs of one namespace.
  alice: ['--as=alice'],
};

beforeAll(async () => {
  cluster = await sharedCluster();
  await controllersOn(cluster);
  await cluster.apply([...team(), foreignSlice()]);
  as['agent of a'] = ['--kubeconfig', await agentUser(cluster, 'a')];
  as['agent of b'] = ['--kubeconfig', await agentUser(cluster, 'b')];
  as['stolen account of the agents'] = ['--kubeconfig', await accountUser(cluster, 'usb-agent')];
  as.controller = ['--kubeconfig', await accountUser(cluster, 'usb-controller')];
});

afterAll(async () => {
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

const patch = (kind: string, name: string, body: object, ...flags: string[]) => [
  ...['patch', kind, name, '--type=merge', '-p', JSON.stringify(body)],
  ...flags,
];

/** What kubectl says to a request that changes nothing when it is allowed. */
async function tryIt(who: string, what: Manifest | string[]): Promise<string> {
  const [args, input] = Array.isArray(what) ? [what, ''] : [['create', '-f', '-'], JSON.stringify(what)];
  const user = as[who];
  if (!user) throw new Error(`nobody is called ${who}`);
  const { code, out, err } = await cluster.tryKubectl([...user, ...args, '--dry-run=server'], { input });
  return code === 0 ? 'allowed' : `${out}${err}`;
}

const MARK = 'virtualization.deckhouse.io/usb-gateway';

describe('the USB devices of others', () => {
  it.each([
    ['alice', 'a template', template(), 'only kubectl-virt/usb-controller writes templates'],
    ['alice', 'a claim', claim(), 'only the resource-claim controller makes claims'],
    ['admin', 'a claim', claim(), 'only the resource-claim controller makes claims'],
    ['controller', 'a template', template(), 'allowed'],
    ['alice', 'a claim of another class', claim('gpus.example.com'), 'allowed'],
    ['alice', 'a template of another class', template('gpus.example.com'), 'allowed'],
  ])('%s makes %s', async (who, _, manifest, answer) => {
    expect(await tryIt(who, manifest)).toContain(answer);
  });

  it('cannot be assigned by somebody without rights on the cluster', async () => {
    const take = patch('nodeusbdevice', 'usb-any', { spec: { assignedNamespace: OTHER } });
    expect(await tryIt('alice', take)).toMatch(/cannot (get|patch) resource "nodeusbdevices"/);
  });
});

describe('what a node says of its devices', () => {
  it.each([
    ['agent of a', 'a', 'allowed'],
    ['agent of b', 'a', 'only kubectl-virt/usb-agent on node a'],
    ['stolen account of the agents', 'a', 'only kubectl-virt/usb-agent on node a'],
    ['admin', 'a', 'only kubectl-virt/usb-agent on node a'],
  ])('%s writes a ResourceSlice of node %s', async (who, pool, answer) => {
    expect(await tryIt(who, slice(pool))).toContain(answer);
  });

  it('does not touch the slices of other drivers', async () => {
    expect(await tryIt('admin', ['delete', 'resourceslice', 'foreign'])).toBe('allowed');
  });

  it.each([
    ['agent of a', 'allowed'],
    ['agent of b', 'only kubectl-virt/usb-agent on node a writes the USBNodeStatus'],
    ['stolen account of the agents', 'only kubectl-virt/usb-agent on node a writes the USBNodeStatus'],
    ['admin', 'only kubectl-virt/usb-agent on node a writes the USBNodeStatus'],
  ])('%s writes the USBNodeStatus of node a', async (who, answer) => {
    const lie = patch('usbnodestatus', 'a', { status: { agentVersion: 'none' } }, '--subresource=status');
    expect(await tryIt(who, lie)).toContain(answer);
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
    expect(await tryIt(who, patch('node', 'a', { metadata }))).toContain(answer);
  });

  it('leaves the rest of a node to others', async () => {
    const drain = patch('node', 'a', { spec: { unschedulable: true } });
    expect(await tryIt('agent of a', drain)).toContain('changes only labels and annotations');
  });
});
