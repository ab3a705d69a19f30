// Pods on the lab's nodes: they start, run the checkout, reach the API server, and are there again after a power loss.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICE_ADDRESS } from '../addresses.ts';
import { BUSYBOX_IMAGE } from '../artefacts/images.ts';
import type { Cluster } from '../cluster.ts';
import { NODE_JS } from '../guest-files.ts';
import { fromCheckout, type Manifest } from '../manifests.ts';
import { sharedCluster } from '../shared-cluster.ts';
import { VERSIONS } from '../versions.ts';
import { waitFor } from '../wait.ts';

const plain = pod('plain', { image: BUSYBOX_IMAGE, imagePullPolicy: 'Never', command: ['sleep', '100000'] });
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const ASK_VERSION = `
  const authorization = 'Bearer ' + fs.readFileSync('${FOLDER}/token', 'utf8');
  fetch('https://${SERVICE_ADDRESS}/version', { headers: { authorization } })
    .then((answer) => answer.text()).then(console.log);
`;
const asking = pod(
  'asking',
  { env: [{ name: 'NODE_EXTRA_CA_CERTS', value: `${FOLDER}/ca.crt` }] },
  { restartPolicy: 'Never' },
);
const privileged = pod(
  'privileged',
  { image: 'virt-node:0.1.0', args: ['--version'], securityContext: { privileged: true } },
  { hostNetwork: true, hostPID: true, restartPolicy: 'Never' },
);

function pod(name: string, container: object, spec: object = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': 'b' },
      terminationGracePeriodSeconds: 1,
      enableServiceLinks: false,
      containers: [{ name: 'main', ...container }],
      ...spec,
    },
  };
}

describe('a pod', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await sharedCluster();
  });
  afterAll(() => cluster?.delete([plain, asking, privileged]));

  const phase = async (name: string) =>
    (await cluster.get<{ status: { phase: string } }>('pod', name)).status.phase;

  it('runs', async () => {
    const start = performance.now();
    await cluster.apply([plain]);
    await waitFor('the pod runs', async () => (await phase('plain')) === 'Running', { timeout: 60_000 });
    console.log(`pod Running after ${((performance.now() - start) / 1000).toFixed(1)} s`);
    expect(await cluster.kubectl('exec', 'plain', '--', 'cat', '/proc/sys/kernel/hostname')).toBe('plain\n');
  });

  it('reaches the API server at its service address with its token', async () => {
    await cluster.apply([fromCheckout([NODE_JS, '-e', ASK_VERSION])(asking)]);
    await waitFor('the pod is done', async () => (await phase('asking')) === 'Succeeded', {
      timeout: 60_000,
    });
    expect(JSON.parse(await cluster.kubectl('logs', 'asking'))).toMatchObject({
      gitVersion: `v${VERSIONS.kubernetes}`,
    });
  });

  it('runs Node.js of the checkout with the code mounted from its node', async () => {
    await cluster.apply([fromCheckout([NODE_JS])(privileged)]);
    await waitFor('the pod is done', async () => (await phase('privileged')) === 'Succeeded', {
      timeout: 60_000,
    });
    expect((await cluster.kubectl('logs', 'privileged')).trim()).toBe(process.version);
  });

  it('runs again after its node lost power', async () => {
    const node = cluster.node('b');
    await node.powerLoss();
    await cluster.boot(node);
    const start = performance.now();
    const restarted = async () => {
      const { status } = await cluster.get<PodObject>('pod', 'plain');
      return status.containerStatuses?.some((c) => c.restartCount > 0 && c.state.running !== undefined);
    };
    await waitFor('the pod runs again', restarted, { timeout: 90_000, interval: 500 });
    console.log(
      `pod Running again ${((performance.now() - start) / 1000).toFixed(1)} s after its node was Ready`,
    );
    expect(await cluster.kubectl('exec', 'plain', '--', 'cat', '/proc/sys/kernel/hostname')).toBe('plain\n');
  });
});

interface PodObject {
  readonly status: {
    readonly containerStatuses?: {
      readonly restartCount: number;
      readonly state: { readonly running?: object };
    }[];
  };
}
